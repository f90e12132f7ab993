"""What mkdocs.yml leaves to code: the navigation, pages outside docs/, links to other files, and lists as GitHub reads them."""

import os
import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"""(\]\(|(?:src|href)=")([^)\s#"]+)((?:#[^)\s"]*)?[)"])""")
FENCE = re.compile(r"\s*(`{3,}|~{3,})")
CODE = re.compile(r"`[^`]+`")
ITEM = re.compile(r"(\s*)([-*+]|\d{1,9}[.)])(\s+)(?=\S)")


def on_config(config):
    """Makes the navigation of the folders that are there, so that no page is listed by hand."""
    config.nav = [{"Overview": ["index.md", *sorted(p.name for p in ROOT.glob("*.md") if p.name != "README.md")]}]
    config.nav += [{title: entries(Path(config.docs_dir), part)} for part, title in config.extra["parts"].items()]
    return config


def entries(docs, folder):
    """Lists a folder's pages: its index, then those that the README links to, in the order of its last links, then the others by name."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    pages, folders = [], []
    for path in sorted((docs / folder).iterdir()):
        name = path.relative_to(docs).as_posix()
        if path.is_dir() and any(path.rglob("*.md")):
            folders.append({path.name.capitalize(): entries(docs, name)})
        elif path.suffix == ".md":
            linked = readme.rfind(f"](docs/{name}")
            pages.append((path.stem not in ("README", "index"), linked if linked >= 0 else len(readme), name))
    return [name for *_, name in sorted(pages)] + folders


def on_files(files, config):
    """Adds the pages beside docs/: README.md is the start page."""
    for path in sorted(ROOT.glob("*.md")):
        name = "index.md" if path.name == "README.md" else path.name
        files.append(File.generated(config, name, content=path.read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown, page, config, files):
    """Fits a page, written for GitHub, to Python-Markdown."""
    source = page.file.src_uri
    if page.file.generated_by:
        source = "README.md" if source == "index.md" else source
    else:
        source = posixpath.join("docs", source)
    at = posixpath.dirname(page.file.src_uri)
    outside = {"README.md": "index.md"} | {f: f for f in files.src_uris}

    def follow(link):
        if ":" in link[2]:
            return link[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), link[2]))
        inside = target.removeprefix("docs/") if target.startswith("docs/") else outside.get(target)
        if inside:
            if link[1].startswith("href"):  # MkDocs leaves HTML alone
                inside = re.sub(r"\.md$", ".html", inside)
            return link[1] + posixpath.relpath(inside, at or ".") + link[3]
        if (ROOT / target).exists():
            kind = "tree" if (ROOT / target).is_dir() else "blob"
            return f"{link[1]}{config.extra['repository']}/{kind}/main/{target}{link[3]}"
        return link[0]

    return "\n".join(nested(markdown.splitlines(), lambda line: LINK.sub(follow, line)))


def nested(lines, text):
    """Indents what stands in list items by four blanks a level, parts lists and tables from the paragraph above, and takes
    the escape from bars in a table's code, as Python-Markdown wants. Lines outside code go through text."""
    items, fence, last, out = [], "", "", []  # items: the columns at which the contents of open list items begin
    for line in lines:
        if fence:
            indent = min(len(line) - len(line.lstrip()), items[-1] if items else 0)
            out.append("    " * len(items) + line[indent:] if line.strip() else "")
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            last = ""
            continue
        if not line.strip():
            out.append("")
            last = ""
            continue
        indent = len(line) - len(line.lstrip())
        item = ITEM.match(line)
        while items and indent < items[-1] and (item or not last):
            items.pop()
        inner = line[items[-1]:] if items and indent >= items[-1] else line.lstrip() if items else line
        begun = FENCE.match(line)
        if begun:
            fence = begun[1]
        starts = "item" if item else "table" if inner.startswith("|") else "text"
        if last == "text" and starts != "text" or last == "table" and starts == "item":
            out.append("")
        out.append("    " * len(items) + (inner.lstrip() if item else inner if begun else text(inner)))
        if starts == "table":
            out[-1] = CODE.sub(lambda code: code[0].replace(r"\|", "|"), out[-1])
        if item:
            out[-1] = "    " * len(items) + item[2] + " " + text(line[item.end():])
            items.append(item.end())
        last = "text" if starts == "item" else "" if begun or line.startswith("#") else starts
    return out
