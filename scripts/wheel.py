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
PLATFORMS = {"linux/amd64": "manylinux_2_17_x86_64", "linux/arm64": "manylinux_2_17_aarch64"}


def metadata(project: dict) -> str:
    """The fields of METADATA that pip needs."""
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {d}" for d in project["dependencies"]]
    for extra, needs in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {d}; extra == "{extra}"' for d in needs)]
    return "\n".join(lines) + "\n"


def main(programs: Path, platform: str, out: Path) -> Path:
    """Writes the wheel into the folder out and returns its path."""
    if platform not in PLATFORMS:
        raise SystemExit(f"wheel.py: no wheel is built for {platform}, only for {', '.join(PLATFORMS)}")
    if not (programs / "hyfair").is_file():
        raise SystemExit(f"wheel.py: {programs} has no program hyfair")
    project = tomllib.loads((SOURCE / "pyproject.toml").read_text())["project"]
    files = {f"hyfair/{p.relative_to(SOURCE / 'hyfair').as_posix()}": p.read_bytes()
             for p in (SOURCE / "hyfair").rglob("*") if p.name == "py.typed" or p.suffix in (".py", ".pyi")}
    binaries = {f"hyfair/_bin/{p.relative_to(programs).as_posix()}": p.read_bytes()
                for p in [programs / "hyfair", *(programs / "plugins").glob("*")] if p.is_file()}
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
