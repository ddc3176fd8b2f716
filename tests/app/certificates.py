"""What tests of certificates have in common."""

from program import ProgramTest

OSCILLATOR = """
[system]
coordinates = ["x"]
hamiltonian = "(p_x^2 + x^2)/2"
[initial]
x = 1
p_x = 0
"""

# Energy 1/6.05: most orbits are chaotic.
HENON_HEILES = """
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + (x^2 + y^2)/2 + x^2*y - y^3/3"
[initial]
x = 0
y = -0.1
p_y = 0.1
p_x = "sqrt(2*(1/6.05 - 0.01 - 0.001/3))"
"""

PENDULUM = """
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
rod = "x^2 + y^2 = 1"
[initial]
x = 1
y = 0
p_x = 0
p_y = -2
"""

QUARTIC = OSCILLATOR.replace("x^2)/2", "x^2)/2 + x^4/4")


class CertificateTest(ProgramTest):
    def certificate(self, text, *options, returncode=0):
        summary = self.summary(self.model(text), *options, "--certify", status=returncode)
        return summary["certificate"]

    def expect(self, text, options, holds=True, **verdicts):
        """Each verdict is "kept", "broken" or "undecided" of what is claimed; of what is not, "unclaimed" with or
        without a verdict. Alternatives are separated by |."""
        with self.subTest(options):
            certificate = self.certificate(text, *options.split())
            findings = {each["structure"]: each for each in certificate["structures"]}
            for structure, expected in verdicts.items():
                finding = findings[structure]
                self.assertEqual(finding["claimed"], not expected.startswith("unclaimed"), finding)
                verdict = expected.removeprefix("unclaimed").strip()
                if verdict:
                    self.assertIn(finding["verdict"], verdict.split("|"), finding)
                self.assertTrue(finding["claim"])
                self.assertTrue(finding["evidence"])
            if holds is not None:
                self.assertEqual(certificate["holds"], holds, certificate)
            return findings, certificate["error"]
