"""What is installed works by itself: the program away from the source tree, the library in a project of its own.

package_test.py CMAKE BUILD_FOLDER
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

cmake, build = sys.argv[1:]


def output_of(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, **options)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    prefix, project = folder / "prefix", folder / "project"
    output_of(cmake, "--install", build, "--prefix", prefix)

    # The program finds the models beside it, not those of the source tree.
    program, models = prefix / "bin/cotangent", prefix / "share/cotangent/models"
    shutil.copy(models / "pendulum.toml", models / "installed_only.toml")
    summary = json.loads(output_of(program, "run", "installed_only", "--end", "1", "--json", cwd=folder))
    assert summary["time"] == 1, summary
    assert "expect_processor" in output_of("nm", program), "nothing looks at the processor"

    # A project with nothing but find_package, and none of our flags.
    shutil.copytree(pathlib.Path(__file__).parent, project)
    output_of(cmake, "-G", "Ninja", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
              "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    output_of(cmake, "--build", project / "build")
    for entry in json.loads((project / "build/compile_commands.json").read_text()):
        flags = [word for word in entry["command"].split() if word.startswith(("-W", "-m", "-f", "-O"))]
        assert not flags, entry["command"]
    assert output_of(project / "build/pendulum", models / "pendulum.toml") == "done 1\n"
