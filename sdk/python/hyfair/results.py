"""Answers as people use them: as numbers, frames, texts and pages."""

from __future__ import annotations

import csv
import json
import re
import sys
import typing
from dataclasses import fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

from . import answers, engine
from .exceptions import CheckFailed, CommandFailed, Contradiction, StudyError, Undecided
from .frames import Frame

class Result:
    """What every answer has: its JSON, text and page, and the command that asks again."""

    _outcome: engine.Outcome
    _frame: Optional[Frame]
    _names: Mapping[str, Mapping[Any, str]]
    _again: Callable[[Sequence[str]], object]
    """Asks the same again, with more flags."""
    command: str
    """The shell command that gives the same answer."""

    @property
    def notes(self) -> List[str]:
        """What the program said beside the answer."""
        return list(self._outcome.notes)

    def to_dict(self) -> Dict[str, Any]:
        """The answer's JSON object; docs/reference/schema describes it."""
        return typing.cast(Dict[str, Any], json.loads(json.dumps(self._outcome.answer)))

    def to_json(self) -> str:
        """The answer's JSON object as text."""
        return json.dumps(self._outcome.answer, indent=2, ensure_ascii=False)

    def save(self, path: Union[str, Path]) -> Path:
        """Write the answer as a page (.html), a text (.txt) or JSON (.json)."""
        path = Path(path)
        content = {".html": self._outcome.page, ".txt": self._outcome.text, ".json": self.to_json() + "\n"}.get(path.suffix)
        if content is None:
            raise StudyError(f"{path}: want a name that ends in .html, .txt or .json")
        path.write_text(content, "utf-8")
        return path

    def plot(self) -> "Picture":
        """The answer's figures."""
        return Picture(tuple(re.findall(r"<svg.*?</svg>", self._outcome.page, re.S)))

    def check(self) -> "Result":
        """Raise CheckFailed or Undecided unless all bounds of the question hold."""
        gates = self._outcome.answer.get("gates") or []
        if not gates:
            raise StudyError("the question has no bound to check: give one, such as audit(max_unfair=0.01)")
        return self._gates(gates)

    def _gates(self, gates: Sequence[Mapping[str, Any]]) -> "Result":
        said = {outcome: [f"{g['gate']}: {g['text']}" for g in gates if (g["outcome"] == "failed") == (outcome == "failed")
                          and g["outcome"] != "passed"] for outcome in ("failed", "open")}
        if said["failed"]:
            raise CheckFailed("\n".join(said["failed"]))
        if said["open"]:
            raise Undecided("\n".join(said["open"]))
        return self

    def _like(self, rows: Sequence[Mapping[str, Any]]) -> Any:
        """Rows as a frame of the user's kind."""
        names = list(dict.fromkeys(name for row in rows for name in row))
        values = {name: _one_type([row.get(name) for row in rows]) for name in names}
        if self._frame is not None:
            return self._frame.like(values)
        return _any_frame(values)

    def _person(self, features: Sequence[str], values: Mapping[str, float], labels: Mapping[str, str], score: float) -> Dict[str, Any]:
        """A row for a person, as the model takes it: numbers, and the frame's own values of categories."""
        row: Dict[str, Any] = {}
        for name in features:
            value = values[name]
            if name in self._names:
                row[name] = next((v for v, label in self._names[name].items() if label == labels[name]), labels[name])
            elif labels[name] == "missing":
                row[name] = None
            else:
                row[name] = int(value) if float(value).is_integer() else value
        own = "score"
        while own in row:
            own += "_"
        return {**row, own: score}

    def _people(self, rows: Sequence[Mapping[str, Any]]) -> Any:
        """Rows of people as a frame of the user's kind; categories have the types of the user's."""
        if self._frame is None:
            return self._like(rows)
        return self._frame.typed(self._like(rows), list(self._names))

    def __str__(self) -> str:
        return self._outcome.text

    def __repr__(self) -> str:
        return self._outcome.text.rstrip("\n")

    def _repr_html_(self) -> str:
        return _fragment(self._outcome.page)


R = TypeVar("R", bound=Result)


class Audit(Result, answers.AuditAnswer):
    """Each person of the rows beside their counterfactuals."""

    @property
    def by_group(self) -> Any:
        """A row for each group of each protected attribute: rates, ratios and flips."""
        return self._like(self._groups())

    @property
    def overall(self) -> Dict[str, Any]:
        """The measures of all people together."""
        s = self.summary
        return {"people": s.people, "selection_rate": self._favoured(s), "flips": s.flips_share, "gain": s.gain_share,
                "lose": s.lose_share, "unfair": s.unfair_share, "mean_gap": s.mean_gap, "max_gap": s.max_gap}

    def difference(self) -> Dict[str, Optional[float]]:
        """For each protected attribute, the largest difference of selection rates between judged groups."""
        return {a.name: a.difference for a in self._rated()}

    def ratio(self) -> Dict[str, Optional[float]]:
        """For each protected attribute, the least impact ratio of its judged groups."""
        return {a.name: a.impact_ratio for a in self._rated()}

    def to_frame(self) -> Any:
        """The groups as a frame of the user's kind: the same as ``by_group``."""
        return self.by_group

    @property
    def rows(self) -> Any:
        """Every person audited: the columns of X, in its order, and how the person is treated, as docs/reference/files.md has it.

        A name that X has, too, ends in ``_``. ``skipped`` says why a person could not be compared. It audits once more.
        """
        with engine.temporary() as folder:
            path = folder / "rows.csv"
            self._again(["--out", str(path)])
            with open(path, newline="", encoding="utf-8") as file:
                names, *lines = csv.reader(file)
        lines.sort(key=lambda line: int(line[0]))
        own = names.index(f"{self.protected[-1]}.advantage") + 1
        table = dict(enumerate(zip(*lines)))
        return self._beside(list(map(int, table[0])), {n: table[i] for i, n in enumerate(names) if i >= own},
                            {n: table[i] for i, n in enumerate(names[:own]) if i})

    @rows.setter
    def rows(self, found: Any) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]
        """to_dict() has the answer's own."""

    @property
    def people(self) -> Any:
        """The people treated worst, at most ``top``: the columns of X, and how the person is treated, as in ``rows``."""
        rows = self._outcome.answer.get("rows") or []
        said = []
        for row in rows:
            one = {n.replace(".labels.", "."): cell for n, cell in _flat({n: row[n] for n in row if n not in ("index", "x", "z", "labels")}).items()
                   if not n.startswith(("high.z.", "low.z."))}
            for effect in row["attributes"]:
                one.update({f"{effect['name']}.{n.replace('_score', '.score')}": cell for n, cell in effect.items() if n != "name"})
            said.append(one)
        return self._beside([row["index"] for row in rows], {n: [row["labels"][n] for row in rows] for n in (rows[0]["labels"] if rows else ())},
                            {n: [one.get(n) for one in said] for n in (said[0] if said else ())})

    def _beside(self, index: Sequence[int], own: Mapping[str, Sequence[Any]], said: Mapping[str, Sequence[Any]]) -> Any:
        """What is said of people, beside their own columns: those of X, or of a loaded study."""
        labels = {column: {label: value for value, label in self._names[name].items()} for name in self.protected if name in self._names
                  for column in (f"high.{name}", f"low.{name}", f"{name}.best", f"{name}.worst")}
        values = {n: [labels[n][c] if c else None for c in cells] if n in labels else _values(cells) for n, cells in said.items()}
        if self._frame is None:
            return Frame(_any_frame({n: _values(c) for n, c in own.items()})).beside(range(len(index)), values)
        return self._frame.beside(index, {n: c for n, c in values.items() if n not in ("file", "line")})

    def _favoured(self, part: Any) -> Optional[float]:
        if self.classes is not None:  # bands: the groups of an attribute are all people
            return sum(g.share * (g.selection.rate or 0.0) for g in self.groups.attributes[0].groups) if self.groups else None
        low = bool(self.groups and self.groups.favourable == "negative")
        share = float(part.positive_share)
        return 1 - share if low else share

    def _rated(self) -> List[answers.AuditRated]:
        if self.groups is None:
            raise StudyError("the audit has no rates by group: ask with audit(groups=True), for a model with decisions of yes and no")
        return self.groups.attributes

    def _groups(self) -> List[Dict[str, Any]]:
        of = {a.name: {g.label: g for g in a.groups} for a in self.summary.attributes}
        out: List[Dict[str, Any]] = []
        for rated in self.groups.attributes if self.groups else []:
            for g in rated.groups:
                row: Dict[str, Any] = {"attribute": rated.name, "group": g.label, "people": g.people, "share": g.share, "judged": g.judged,
                                       "selection_rate": g.selection.rate, "selection_low": g.selection.low, "selection_high": g.selection.high,
                                       "impact_ratio": g.impact_ratio, "impact_ratio_low": g.impact_ratio_low, "impact_ratio_high": g.impact_ratio_high}
                for name, rate in (("true_positive_rate", g.true_positive), ("false_positive_rate", g.false_positive), ("precision", g.precision)):
                    if rate is not None:
                        row[name] = rate.rate
                row.update(_treated(of.get(rated.name, {}).get(g.label)))
                out.append(row)
        if out:
            return out
        return [{"attribute": a.name, "group": g.label, "people": g.people, "positive": g.positive_share, **_treated(g)}
                for a in self.summary.attributes for g in a.groups]


def _treated(group: Optional[answers.AuditGroup]) -> Dict[str, Any]:
    if group is None:
        return {}
    return {"flips": group.flips_share, "gain": group.gain_share, "lose": group.lose_share, "unfair": group.unfair_share,
            "mean_gap": group.mean_gap, "max_gap": group.max_gap, "advantage": group.advantage}


class Verdict(Result, answers.CertifyAnswer):
    """Whether a possible person is treated unfairly."""

    @property
    def fair(self) -> Optional[bool]:
        """True if proved, False if refuted, None if undecided."""
        return {"fair": True, "unfair": False}.get(self.verdict)

    @property
    def pair(self) -> Any:
        """The two counterfactuals that refute fairness, as two rows of a frame; None without."""
        w = self.witness
        if w is None:
            return None
        copies = ((w.x1, w.z1, w.labels.x1, w.labels.z1, w.score1), (w.x2, w.z2, w.labels.x2, w.labels.z2, w.score2))
        return self._people([self._person(w.features, {**x, **z}, {**of_x, **of_z}, score) for x, z, of_x, of_z, score in copies])

    def to_frame(self) -> Any:
        """The same as ``pair``."""
        return self.pair

    def check(self) -> "Result":
        """Raise CheckFailed if a person is treated unfairly, Undecided if that is open."""
        if self._outcome.answer.get("gates"):
            return super().check()
        if self.verdict == "unfair":
            raise CheckFailed(f"unfair: two counterfactuals of one person are {self.gap} apart; .pair has them")
        if self.verdict != "fair":
            raise Undecided(f"undecided: {self.reason or 'a limit left the verdict open'}")
        return self


class Quantified(Result, answers.QuantifyAnswer):
    """The share of all possible people that is treated unfairly."""


class QuantifiedGroups(Result, answers.QuantifyGroups):
    """The proved rates of groups of all possible people."""


class Search(Result, answers.SearchAnswer):
    """The people found whose treatment depends most on protected attributes."""

    @property
    def worst(self) -> Any:
        """The counterfactuals of the person treated worst, a row each; None if the search found no person."""
        if self.best is None:
            return None
        b = self.best
        return self._people([self._person(b.features, {**b.x, **one.z}, {**b.labels, **one.labels}, one.score) for one in b.scores])


class Explanation(Result, answers.ExplainAnswer):
    """The conditions under which protected attributes decide most."""


class Mitigation(Result, answers.MitigateAnswer):
    """What guarding and retraining cost and gain."""

    def to_frame(self) -> Any:
        """The arms, a row each."""
        return self._like([_flat(arm) for arm in self._outcome.answer["arms"]])


class Report(Result, answers.ReportAnswer):
    """The report, to be saved as a page."""


class Verdicts(Result, answers.CertifySets):
    """The verdicts of several questions."""


class QuantifiedSets(Result, answers.QuantifySets):
    """The shares of several questions."""


class Picture:
    """Figures, which a notebook shows."""

    def __init__(self, svgs: Sequence[str]) -> None:
        self.svgs = list(svgs)

    def _repr_html_(self) -> str:
        return "".join(self.svgs)


def of(
    asked: "type[R]", outcome: engine.Outcome, command: str, frame: Optional[Frame], names: Mapping[str, Mapping[Any, str]],
    again: Callable[[Sequence[str]], object],
) -> "R":
    """The result of a command. ``names`` are those of the values of categories; ``again`` asks with more flags. Raises CommandFailed or Contradiction, with what was found."""
    kind: Any = asked
    content = dict(outcome.answer)
    if outcome.code == engine.INTERRUPTED:
        content["interrupted"] = True
    if "questions" in content:
        kind = {Verdict: Verdicts, Quantified: QuantifiedSets}.get(kind, kind)
    elif kind is Quantified and "attributes" in content:
        kind = QuantifiedGroups
    result: R = _decoded(kind, content)
    for name, value in (("_outcome", outcome), ("_frame", frame), ("_names", names), ("_again", again), ("command", command)):
        object.__setattr__(result, name, value)
    if outcome.code == engine.CONTRADICTION:
        text = engine.said(outcome.notes, outcome.code) if outcome.notes else "an exact evaluation refuted a claim of a solver"
        raise Contradiction(text, outcome.code, result)
    if outcome.code in (1, engine.USAGE):
        raise CommandFailed(engine.said(outcome.notes, outcome.code), outcome.code, result)
    return result


@lru_cache(maxsize=None)
def _shape(kind: Any) -> Tuple[Tuple[str, str, Any], ...]:
    """The fields of a dataclass: name, name in JSON, type."""
    hints = typing.get_type_hints(next(k for k in kind.__mro__ if k.__module__ == answers.__name__))
    return tuple((f.name, f.metadata.get("json", f.name.rstrip("_")), hints[f.name]) for f in fields(kind))


def _decoded(kind: Any, content: Any) -> Any:
    if content is None:
        return None
    if is_dataclass(kind):
        made: Any = kind
        return made(**{name: _decoded(of, content[key]) for name, key, of in _shape(made) if key in content})
    if kind is float:
        return float(content)
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin is Union:
        return _decoded(inside[0], content)
    if origin is list:
        return [_decoded(inside[0], item) for item in content]
    if origin is dict:
        return {key: _decoded(inside[1], value) for key, value in content.items()}
    return content


def _values(cells: Sequence[Any]) -> List[Any]:
    """Cells of a column as values of one type; those of the program's CSV files are texts."""
    if not cells or not isinstance(cells[0], str):
        return _one_type(list(cells))
    for kind in (int, float):
        try:
            return [kind(c) if c else None for c in cells]
        except ValueError:
            pass
    return [{"": None, "yes": True, "no": False}.get(c, c) for c in cells]


def _one_type(cells: List[Any]) -> List[Any]:
    """Whole numbers beside others as floats: JSON does not tell them apart."""
    return [float(c) if type(c) is int else c for c in cells] if any(type(c) is float for c in cells) else cells


def _flat(content: Mapping[str, Any], before: str = "") -> Dict[str, Any]:
    """Nested objects as columns, without lists."""
    out: Dict[str, Any] = {}
    for key, value in content.items():
        if isinstance(value, Mapping):
            out.update(_flat(value, f"{before}{key}."))
        elif not isinstance(value, list):
            out[before + key] = value
    return out


def _any_frame(values: Mapping[str, Sequence[Any]]) -> Any:
    """A frame of a library that is loaded, else of one that is installed."""
    import importlib

    names = sorted(("pandas", "polars", "pyarrow"), key=lambda name: name not in sys.modules)
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
        import narwhals as nw

        backend: Any = name
        return nw.from_dict(dict(values), backend=backend).to_native()
    raise StudyError("no library of data frames is installed: install pandas, polars or pyarrow, or use to_dict()")


def _fragment(page: str) -> str:
    """The page's main part with its style, which holds for this part only."""
    main = re.search(r"<main.*</main>", page, re.S)
    style = re.search(r"<style>(.*?)</style>", page, re.S)
    if not main:
        return ""
    scoped = re.sub(r"(^|[\s}])(:root|html|body)(?= \{)", r"\1:scope", style.group(1) if style else "")
    return f'<div class="hyfair-answer"><style>@scope (.hyfair-answer) {{\n{scoped}\n}}</style>{main.group(0)}</div>'
