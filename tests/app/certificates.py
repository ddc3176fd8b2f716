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

    def expect(self, text, options, trend_of_error=None, holds=True, **verdicts):
        """Each verdict is "kept", "broken" or "not claimed", with trends that are right after a colon."""
        with self.subTest(options):
            certificate = self.certificate(text, *options.split())
            findings = {each["structure"]: each for each in certificate["structures"]}
            for structure, expected in verdicts.items():
                verdict, _, trends = expected.partition(":")
                finding = findings[structure]
                self.assertEqual(finding["verdict"], verdict, finding)
                if trends:
                    self.assertIn(finding["trend"], [each.strip() for each in trends.split("|")], finding)
                self.assertTrue(finding["claim"])
                self.assertTrue(finding["evidence"])
            self.assertEqual(certificate["holds"], holds, certificate)
            if trend_of_error:
                self.assertIn(certificate["error"]["trend"], trend_of_error, certificate["error"])
            return findings, certificate["error"]
