"""Writes the wheel of the Python package with the programs, as `make wheel` calls it.

    python3 scripts/wheel.py PROGRAMS GOOS/GOARCH OUT

PROGRAMS is the folder that holds hyfair and plugins/, which become hyfair/_bin. The same
files give the same bytes. No network, and nothing beyond Python 3.11, is needed.
"""

import base64
import hashlib
import sys
import tomllib
import zipfile
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "sdk/python"
# The oldest macOS that Go 1.26 supports is 12.
PLATFORMS = {"linux/amd64": "manylinux_2_17_x86_64", "linux/arm64": "manylinux_2_17_aarch64",
             "darwin/amd64": "macosx_12_0_x86_64", "darwin/arm64": "macosx_12_0_arm64", "windows/amd64": "win_amd64"}


def metadata(project: dict) -> str:
    """METADATA: what pip needs, and the page that the index shows."""
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {d}" for d in project["dependencies"]]
    for extra, needs in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        for name, _, marker in (d.partition(";") for d in needs):
            lines.append(f"Requires-Dist: {name}; " + (f"{marker.strip()} and " if marker else "") + f'extra == "{extra}"')
    lines += ["Description-Content-Type: text/markdown", "", (SOURCE / project["readme"]).read_text("utf-8")]
    return "\n".join(lines)


def main(programs: Path, platform: str, out: Path) -> Path:
    """Writes the wheel into the folder out and returns its path."""
    if platform not in PLATFORMS:
        raise SystemExit(f"wheel.py: no wheel is built for {platform}, only for {', '.join(PLATFORMS)}")
    host = programs / ("hyfair.exe" if platform.startswith("windows/") else "hyfair")
    if not host.is_file():
        raise SystemExit(f"wheel.py: {programs} has no program {host.name}")
    project = tomllib.loads((SOURCE / "pyproject.toml").read_text())["project"]
    files = {f"hyfair/{p.relative_to(SOURCE / 'hyfair').as_posix()}": p.read_bytes()
             for p in (SOURCE / "hyfair").rglob("*") if p.name == "py.typed" or p.suffix in (".py", ".pyi")}
    binaries = {f"hyfair/_bin/{p.relative_to(programs).as_posix()}": p.read_bytes()
                for p in [host, *(programs / "plugins").glob("*")] if p.is_file()}
    name = f"{project['name']}-{project['version']}"
    info, tag = f"{name}.dist-info", f"py3-none-{PLATFORMS[platform]}"
    points = {"console_scripts": project["scripts"], **project["entry-points"]}
    entries = "".join(f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in of.items()) for group, of in points.items())
    files |= binaries | {
        f"{info}/METADATA": metadata(project).encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: hyfair\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
        f"{info}/entry_points.txt": entries.encode(),
        f"{info}/licenses/LICENSE": (SOURCE.parent.parent / "LICENSE").read_bytes(),
    }
    record = f"{info}/RECORD"
    lines = [f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}"
             for path, data in sorted(files.items())]
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    out.mkdir(parents=True, exist_ok=True)
    wheel = out / f"{name}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w") as z:
        for path in sorted(files, key=lambda p: (p.startswith(info), p)):
            entry = zipfile.ZipInfo(path)  # dated 1980, as zip files begin
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if path in binaries else 0o100644) << 16
            z.writestr(entry, files[path])
    return wheel


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    print(main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])))
