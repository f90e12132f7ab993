"""Studies: a fitted estimator, its rows, and the question, as a folder that the program reads."""

from __future__ import annotations

import csv
import json
import math
import re
import shlex
import shutil
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

from . import engine, models, results
from .asked import TRIED, Asked, asking, differing, owner_of
from .exceptions import DisagreesWithModel, Error, ModelNotReadable, StudyError
from .frames import Frame, free, is_missing
from .models.core import Copy
from .models.inputs import Column, Input, Scale, Table, as_list, listed, plain

MADE_UP = 10_000
"""The number of made-up people for whom the copy is compared with the estimator."""
MOST_ENTRIES = 40_000
"""The largest number of values, of all columns together, that are listed one by one."""
ROUNDING = 1e-12
"""The largest difference of scores that rounding alone explains."""
MARK = ""
"""The cell of a missing value."""

R = TypeVar("R", bound=results.Result)
Number = Union[int, float, Fraction, str]
Where = Union[str, Mapping[str, Any]]
Time = Union[float, timedelta, str]
"""Seconds, or a text such as 60s or 5m."""
Names = Dict[str, Dict[Any, str]]
"""For each feature of categories, the name of each of its values."""


class Study:
    """A fitted estimator and rows of people, drafted as a study of hyfair.

    ``X`` has the columns that the estimator takes, as a data frame of pandas, polars, pyarrow
    or duckdb, or as a numpy array with ``columns``. ``y`` are the labels. ``protected`` names
    the columns that must not matter, or maps each to the values that are compared;
    ``sensitive_features`` is another name for it. ``threshold`` is the score above which the
    decision is yes, a mapping ``{"sex": {"male": 0.5, "female": 0.45}}``, or bands
    ``{"A": 0.8, "B": 0.6, "C": 0}``. ``favourable="low"`` says that a low score is good for
    people. ``domains`` widens what is drafted from the rows: ``{"age": (18, 90), "housing":
    ["own", "rent"]}``. ``constraints`` forbids combinations: ``{"no such": "age=..20,grade=phd"}``.
    ``where`` restricts every question that has none of its own (``{}``: all people); ``weights``, or
    ``sample_weight``, are those of the rows. ``epsilon``,
    ``notion`` and all words are those of docs/reference/studies.md.

    The scores of the copy are compared with the estimator's own, for every row and 10,000
    made-up people: DisagreesWithModel if they differ. ``guesses`` lists what the study took
    for granted.
    """

    def __init__(
        self, model: Any, X: Any, *, y: Any = None, protected: Union[Sequence[str], Mapping[str, Any], None] = None,
        sensitive_features: Union[Sequence[str], Mapping[str, Any], None] = None,
        threshold: Union[Number, Mapping[str, Any], None] = None, domains: Optional[Mapping[str, Any]] = None,
        constraints: Union[Mapping[str, Any], Sequence[str], None] = None, where: Optional[Where] = None,
        epsilon: Optional[Number] = None, notion: Optional[str] = None, favourable: Any = None, weights: Any = None, sample_weight: Any = None,
        columns: Optional[Sequence[str]] = None, name: str = "study", summary: Optional[str] = None, seed: int = 1,
    ) -> None:
        if weights is not None and sample_weight is not None:
            raise StudyError("weights= and sample_weight= mean the same: give one")
        weights = sample_weight if weights is None else weights
        self.name = name
        self._names: Names = {}
        self.guesses: List[str] = []
        self._agreement = ""
        self._how: Dict[str, str] = {}
        self._inspected: engine.Outcome
        self._asked: Optional[Asked] = None
        self._frame: Optional[Frame] = Frame(X, columns)
        self._folder = Path(engine.scratch())
        self._path = self._folder
        self._remove = weakref.finalize(self, engine.discard, str(self._folder))
        try:
            _Draft(self, model, self._frame, domains or {}).write(
                _protected(protected, sensitive_features, self._frame), y, weights, threshold, favourable,
                {"epsilon": epsilon, "notion": notion}, constraints, where, summary, seed)
        except StudyError as err:
            self._remove()  # and with it the file whose lines the program names
            raise StudyError(re.sub(re.escape(str(self._folder)) + r"\S*study\.yaml:\d+:\d+: ", "", str(err))) from err.__cause__
        except BaseException:
            self._remove()
            raise

    @classmethod
    def _of_folder(cls, path: Path) -> "Study":
        self = cls.__new__(cls)
        self.name, self.guesses, self._frame = path.stem if path.is_file() else path.resolve().name, [], None
        self._folder = self._path = path
        self._agreement, self._how, self._asked = "", {}, None
        self._inspected = engine.run(["inspect", str(path)], page=False)
        self._names = {f["name"]: {n: n for n in f["categories"]} for f in self._inspected.answer["features"] if f.get("categories")}
        return self

    @property
    def folder(self) -> Path:
        """The study's folder; a temporary one unless the study was saved or loaded."""
        return self._folder

    def save(self, folder: Union[str, Path]) -> Path:
        """Save the study as a folder, which ``hyfair.load`` and the command line read."""
        to = Path(folder)
        if self._asked is not None:
            raise StudyError(f"{to} cannot hold the model, which is asked in this process: make it a plugin, hyfair plugin new model "
                             "NAME --language python, and write model: {plugin: NAME} into a study.yaml")
        if self._folder.is_file():
            raise StudyError(f"{self._folder} is a file: load its folder, and save that")
        if to.exists() and (not to.is_dir() or any(to.iterdir())):
            raise StudyError(f"{to} exists and is not empty: give another folder, or remove it")
        shutil.copytree(self._folder, to, dirs_exist_ok=True, ignore=shutil.ignore_patterns("journal.db*"))
        if self._frame is not None:
            self._remove()
        self._folder = self._path = to
        return to

    def command(self, name: str, **flags: Any) -> str:
        """The shell command that asks the same question."""
        return shlex.join(["hyfair", *self._arguments(name, flags)])

    def audit(
        self, *, groups: bool = True, top: int = 10, epsilon: Optional[Number] = None, notion: Optional[str] = None,
        protected: Union[str, Sequence[str], None] = None, where: Optional[Where] = None,
        threshold: Union[Number, Mapping[str, Any], None] = None, max_unfair: Optional[Number] = None,
        min_impact_ratio: Optional[Number] = None, **flags: Any,
    ) -> "results.Audit":
        """Compare each person of the rows with their counterfactuals."""
        return self._ask(results.Audit, "audit", dict(
            flags, groups=groups, top=top, epsilon=epsilon, notion=notion, protected=protected, where=where,
            threshold=threshold, max_unfair=max_unfair, min_impact_ratio=min_impact_ratio))

    def certify(
        self, *, timeout: Optional[Time] = None, maximize: bool = False, epsilon: Optional[Number] = None,
        notion: Optional[str] = None, protected: Union[str, Sequence[str], None] = None, where: Optional[Where] = None,
        threshold: Union[Number, Mapping[str, Any], None] = None, solver: Optional[str] = None, **flags: Any,
    ) -> "results.Verdict":
        """Prove that no possible person is treated unfairly, or show one who is."""
        return self._ask(results.Verdict, "certify", dict(
            flags, timeout=timeout, maximize=maximize or None, epsilon=epsilon, notion=notion, protected=protected,
            where=where, threshold=threshold, solver=solver))

    def quantify(
        self, *, timeout: Optional[Time] = None, groups: bool = False, epsilon: Optional[Number] = None,
        notion: Optional[str] = None, protected: Union[str, Sequence[str], None] = None, where: Optional[Where] = None,
        threshold: Union[Number, Mapping[str, Any], None] = None, population: Optional[str] = None,
        max_unfair: Optional[Number] = None, **flags: Any,
    ) -> "results.Quantified":
        """Prove which share of all possible people is treated unfairly."""
        return self._ask(results.Quantified, "quantify", dict(
            flags, timeout=timeout, groups=groups or None, epsilon=epsilon, notion=notion, protected=protected, where=where,
            threshold=threshold, population=population, max_unfair=max_unfair))

    def search(
        self, *, budget: Optional[Time] = None, strategy: Optional[str] = None, epsilon: Optional[Number] = None,
        protected: Union[str, Sequence[str], None] = None, where: Optional[Where] = None, **flags: Any,
    ) -> "results.Search":
        """Search for the person whose treatment depends most on protected attributes."""
        return self._ask(results.Search, "search", dict(
            flags, budget=budget, strategy=strategy, epsilon=epsilon, protected=protected, where=where))

    def explain(
        self, *, budget: Optional[Time] = None, epsilon: Optional[Number] = None,
        protected: Union[str, Sequence[str], None] = None, where: Optional[Where] = None, **flags: Any,
    ) -> "results.Explanation":
        """Find the conditions under which protected attributes decide most."""
        return self._ask(results.Explanation, "explain", dict(flags, budget=budget, epsilon=epsilon, protected=protected, where=where))

    def mitigate(
        self, *, budget: Optional[Time] = None, arms: Optional[Sequence[str]] = None, out: Optional[str] = None, **flags: Any,
    ) -> "results.Mitigation":
        """Guard or retrain the model, and measure what it costs and gains."""
        return self._ask(results.Mitigation, "mitigate", dict(flags, budget=budget, arms=arms, out=out))

    def report(self, *, budget: Optional[Time] = None, people: Optional[str] = None, **flags: Any) -> "results.Report":
        """Report on the model in ten parts, as one page to file."""
        return self._ask(results.Report, "report", dict(flags, budget=budget, people=people))

    def _ask(self, kind: "type[R]", name: str, flags: Dict[str, Any]) -> "R":
        arguments = self._arguments(name, flags)
        if self._frame is not None and self._temporary and name != "audit":
            arguments += ["--journal", str(self._folder / "journal.db")]
        return results.of(kind, self._run(arguments), self.command(name, **flags), self._frame, self._names,
                          lambda more: self._run([*arguments, *more], page=False))

    def _run(self, arguments: Sequence[str], page: bool = True) -> engine.Outcome:
        return engine.run(arguments, page) if self._asked is None else self._asked.run(self._folder, arguments, page)

    @property
    def _temporary(self) -> bool:
        return self._frame is not None and self._remove.alive

    def _arguments(self, name: str, flags: Mapping[str, Any]) -> List[str]:
        given = {k: v for k, v in flags.items() if v is not None}
        out = [name, "--study", str(self._path)] if name == "report" else [name, str(self._path)]
        for key, value in given.items():
            if key == "where":
                out += ["--where", _predicate(value, self._names) or "all"]
            elif key in _TIMES:
                out += _flag(key.replace("_", "-"), _time(key, value))
            elif key == "protected" and isinstance(value, str) and value in self._inspected.answer.get("protected", {}):
                out += _flag(key, [value])
            elif key == "threshold" and isinstance(value, Mapping):
                out += _thresholds(value, self._names)
            else:
                out += _flag(key.replace("_", "-"), value)
        return out

    def __repr__(self) -> str:
        return "\n".join(f"{title + ':':<12} {line}" if i == 0 else " " * 13 + line
                         for title, lines in self._facts() for i, line in enumerate(lines))

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(f'<tr><th style="text-align:left;vertical-align:top">{escape(title)}</th><td style="text-align:left">'
                       + "<br>".join(map(escape, lines)) + "</td></tr>" for title, lines in self._facts())
        return f"<table>{rows}</table>"

    def _facts(self) -> List[Tuple[str, List[str]]]:
        seen = self._inspected.answer
        features = [f"{f['name']}: " + _domain_text(f) + (f" ({self._how[f['name']]})" if self._how.get(f["name"]) else "")
                    for f in seen.get("features", [])]
        protected = [f"{name}, {len(values):,} values" for name, values in seen.get("protected", {}).items()]
        facts = [
            ("study", [f"{self.name}, in {self._path}"]),
            ("model", [seen.get("size") or f"{seen['format']}, {seen['inputs']} inputs"]),
            ("rows", [f"{seen.get('rows', 0):,}"] + ([f"accuracy {seen['accuracy']:.2f} %"] if seen.get("accuracy") is not None else [])),
            ("features", features), ("protected", protected), ("where", [seen["where"]] if seen.get("where") else []),
            ("agreement", [self._agreement] if self._agreement else []), ("guesses", [g for g in self.guesses if ": domain " not in g]),
            ("command", [self.command("inspect")] if self._asked is None else []),  # no shell reaches the model
        ]
        return [(title, lines) for title, lines in facts if lines]


def load(path: Union[str, Path]) -> Study:
    """Open a study: a folder that ``Study.save`` wrote, or any study file of hyfair."""
    path = Path(path)
    if not path.exists():
        raise StudyError(f"{path} does not exist: want a study file, or a folder with one")
    return Study._of_folder(path)


class _Draft:
    """Makes the files of a study."""

    def __init__(self, study: Study, model: Any, frame: Frame, domains: Mapping[str, Any]) -> None:
        self.study, self.frame = study, frame
        self.model, self.ask = owner_of(model)
        unknown = [d for d in domains if d not in frame.names]
        if unknown:
            raise StudyError(f"domains= names {unknown[0]!r}, which is no column of X: it has {listed(frame.names)}")
        self.columns: List[Column] = []
        self.how = study._how
        self.broken: Dict[str, StudyError] = {}  # columns without a domain, which the model may not use
        for name in frame.names:
            try:
                column, self.how[name] = frame.column(name, domains.get(name))
            except StudyError as err:
                if name in domains:
                    raise
                column, self.broken[name] = Column(name, "category"), err
            self.columns.append(column)
        self._spare()
        fitted = _fitted_with(self.model, frame.names)
        self.takes = fitted if fitted and set(fitted) <= set(frame.names) else frame.names
        self.copy = self._read()

    def _spare(self) -> None:
        """Drop the values of the longest integer domains, so that a study's file stays within its limit."""
        left = MOST_ENTRIES
        for i in sorted(range(len(self.columns)), key=lambda i: len(self.columns[i].values)):
            column = self.columns[i]
            left -= len(column.values)
            if left < 0 and column.kind == "integer":
                self.columns[i] = replace(column, values=())

    def _read(self) -> Copy:
        _refuse_unfit(self.model, self.frame.names)
        try:
            of = {c.name: c for c in self.columns}
            copy = self._copy([of[name] for name in self.takes])
        except Error:
            raise
        except Exception as err:
            for broken in self.broken.values():
                raise broken from err
            raise
        for column in (i.column for i in copy.inputs):
            if column in self.broken:
                raise self.broken[column]
        return copy

    def _copy(self, columns: Sequence[Column]) -> Copy:
        """What the estimator's reader makes of it; where there is none, or the user asks for it, what asks the estimator."""
        if self.ask is None:
            try:
                return models.read(self.model, columns)
            except ModelNotReadable as err:
                if not err.asked and len(getattr(self.model, "classes_", (0, 1))) == 2:
                    what = "model.predict_proba" if hasattr(self.model, "predict_proba") else "scores"
                    raise ModelNotReadable(f"{err}; or ask the model itself, without proofs: hyfair.Study({what}, X, …)") from err.__cause__
                if not err.asked:
                    raise
                self.ask = asking(self.model, err)
        self.study._asked = Asked(self.ask, self.frame, columns)
        return self.study._asked.copy(self.model)

    def write(
        self, protected: Dict[str, Any], y: Any, weights: Any, threshold: Any, favourable: Any, words: Dict[str, Any],
        constraints: Any, where: Any, summary: Optional[str], seed: int,
    ) -> None:
        study, copy, frame, folder = self.study, self.copy, self.frame, self.study._folder
        for name in protected:
            if name in self.broken:
                raise self.broken[name]
        said = (str(_constraints(constraints, {})) + (_predicate(where, {}) or "")).replace("\\", "")
        used = {i.column for i in copy.inputs}
        kept = [c for c in self.columns if c.name in used or c.name in protected or c.name not in self.broken and c.name in said]
        left = [c.name for c in self.columns if c not in kept]
        if left:
            study.guesses.append(f"left out, since the model does not use them: {', '.join(left)}")
        made = {c.name: _Feature(c, [i for i in copy.inputs if i.column == c.name], protected) for c in kept}
        study._names = {name: f.named() for name, f in made.items() if f.names}
        rules = _constraints(constraints, study._names)
        for c in kept:
            if self.how[c.name]:
                study.guesses.append(f"{c.name}: domain {_column_text(c)}, {self.how[c.name]}")
            study.guesses += [f"{c.name}: {note}" for note in made[c.name].notes]
        study.guesses += list(copy.notes)
        order = [i for c in kept for i, one in enumerate(copy.inputs) if one.column == c.name]
        core = copy.model.reordered(order)
        file, content = core.file()
        (folder / file).write_bytes(content)
        if study._asked is not None:
            study._asked.decoded_by({name: made[name].cell for name in self.takes})
            for one in made.values():
                one.yaml.pop("inputs", None)

        data: Dict[str, Any] = {"files": ["rows.csv"]}
        table = {c.name: made[c.name].cells(frame.data.get_column(c.name).to_list()) for c in kept}
        if any(c.missing for c in kept):
            data["missing"] = {c.name: [MARK] for c in kept if made[c.name].may_be_missing}
            if not data["missing"]:
                del data["missing"]
        yaml: Dict[str, Any] = {"name": study.name, "summary": summary}
        if study._asked is not None:
            yaml["model"] = {"attach": file}
        else:
            yaml["model"] = file if copy.missing is None else {"file": file, "missing": copy.missing}
            yaml["output"] = None if core.output == "score" else core.output
        extra: Dict[str, List[str]] = {}
        if y is not None:
            labels = _cells(y, len(frame), "y")
            column = free(y.name if isinstance(getattr(y, "name", None), str) and y.name else "label", [*frame.names])
            extra[column] = [_text(v) for v in labels]
            data["label"] = {"column": column, "positive": sorted({_text(v) for v in labels if v == copy.positive})}
            if not data["label"]["positive"]:
                raise StudyError(f"y never is {copy.positive!r}, the class whose probability the score is: it has "
                                 f"{listed(sorted({repr(v) for v in labels}))}; give the labels that the model was fitted with")
        if weights is not None:
            data["weight"] = free("weight", [*frame.names, *extra])
            extra[data["weight"]] = [repr(float(w)) for w in _weights(weights, len(frame))]
        yaml["data"] = data
        yaml["features"] = {c.name: made[c.name].yaml for c in kept}
        yaml["protected"] = {name: made[name].values(values) for name, values in protected.items()}
        yaml["constraints"] = rules
        yaml["where"] = _predicate(where, study._names) or None
        yaml.update(words)
        yaml["decision"] = self._decision(threshold, favourable, protected)
        _write_rows(folder / "rows.csv", {**table, **extra})
        (folder / "study.yaml").write_text(_yaml(yaml), "utf-8")
        if study._asked is None:
            self._compare(yaml, kept, made, seed, threshold is None)
        else:
            self._try(study._asked, made, threshold is None)

    def _decision(self, threshold: Any, favourable: Any, protected: Mapping[str, Any]) -> Optional[Dict[str, Any]]:
        out: Dict[str, Any] = {}
        if isinstance(threshold, Mapping):
            by_group = all(k in protected for k in threshold)
            out["threshold" if by_group else "bands"] = _by_group(threshold, self.study._names) if by_group else dict(threshold)
            if not by_group and any(isinstance(v, Mapping) for v in threshold.values()):
                raise StudyError(f"threshold= is by {listed(list(threshold))}, and protected= does not name it: thresholds by group are of protected attributes")
        elif threshold is not None:
            out["threshold"] = _decimal(threshold)
        elif self.copy.threshold is not None:
            out["threshold"] = _decimal(self.copy.threshold)
            self.study.guesses.append(f"threshold {self.copy.threshold}: that of the model's own predict")
        if self.copy.at and threshold is None:
            out["at"] = "yes"
        classes = [plain(c) for c in getattr(self.model, "classes_", [])]
        if favourable in ("low", "high"):
            out["yes"] = favourable
        elif favourable is not None:
            if favourable not in classes:
                raise StudyError(f"favourable={favourable!r}: want \"high\" or \"low\", for the scores that are good for people, or one of the classes {listed(classes)}")
            out["yes"] = "high" if favourable == self.copy.positive else "low"
        return out or None

    def _try(self, asked: Asked, made: Mapping[str, "_Feature"], by_model: bool) -> None:
        """Ask about the first rows, once as they are, and once in reverse order as the program gives them."""
        study, rows = self.study, self.frame.head(range(min(TRIED, len(self.frame))))
        own = asked.scores(rows)
        if by_model:
            _as_predicted(self.model, self.copy, self.frame.for_model(rows, self.takes), own)
        numbers = zip(*(made[name].numbers(rows.get_column(name).to_list()) for name in self.takes))
        differ = differing(own, asked.score(list(numbers)[::-1])[::-1])
        if differ:
            raise DisagreesWithModel(
                f"the model gives {len(differ):,} of {len(rows):,} rows other scores when it is asked again, in another order: want a score "
                "that depends on its row alone; .rows has those rows", self.frame.head(differ, rows).to_native())
        study._inspected = study._run(["inspect", str(study._folder)], page=False)
        study._agreement = f"the model itself is asked; it gave the first {len(rows):,} rows the same scores twice"

    def _compare(
        self, yaml: Dict[str, Any], kept: Sequence[Column], made: Mapping[str, "_Feature"], seed: int, by_model: bool,
    ) -> None:
        """Compare the copy with the estimator on the rows and on made-up people; by_model: decisions are those of its predict."""
        study, frame = self.study, self.frame
        drawn = frame.made_up(kept, MADE_UP, seed)
        with engine.temporary() as folder:
            data = {"files": ["rows.csv"], **{k: v for k, v in yaml["data"].items() if k == "missing"}}
            model = dict(yaml["model"]) if isinstance(yaml["model"], dict) else {"file": yaml["model"]}
            model["file"] = str(study._folder / model["file"])
            _write_rows(folder / "rows.csv", {c.name: made[c.name].cells(drawn.get_column(c.name).to_list()) for c in kept})
            (folder / "study.yaml").write_text(_yaml({**yaml, "data": data, "model": model}), "utf-8")
            with ThreadPoolExecutor(2) as pool:
                asked = []
                for of, place, rows in (("rows", study._folder, frame.data), ("made-up people", folder, drawn)):
                    given = frame.for_model(rows, self.takes)
                    own = _scores(self.model, self.copy, given, len(rows), of)
                    if of == "rows" and by_model:
                        _as_predicted(self.model, self.copy, given, own)
                    scores = folder / f"{place.name}-scores.csv"
                    _write_rows(scores, {"score": [repr(s) for s in own]})
                    asked.append((of, place, rows, own, pool.submit(
                        engine.run, ["inspect", str(place), "--scores", str(scores)], False)))
                ties = []
                for of, place, rows, own, answer in asked:
                    seen = answer.result()
                    tied = _held(of, place, rows, frame, self.copy, seen.answer["scores"])
                    if tied:
                        ties.append(f"{tied:,} of the {of}")
                    if of == "rows":
                        study._inspected = seen
        worst = max(float(a.result().answer["scores"]["worst"]) for *_, a in asked)
        study._agreement = (f"scores of the copy and of the model differ by at most {worst:.1g}, on {len(frame):,} rows and "
                            f"{MADE_UP:,} made-up people; all decisions are equal")
        if ties:
            study._agreement += f", but for {' and '.join(ties)}: their score is the threshold but for rounding, and hyfair decides by the exact score"


class _Feature:
    """A column as a feature of the study."""

    def __init__(self, column: Column, inputs: Sequence[Input], protected: Mapping[str, Any]) -> None:
        self.column, self.notes, self.may_be_missing = column, [], False
        self.names: Dict[Any, str] = {}
        self.fill = MARK  # the text of a missing value
        self.yaml: Dict[str, Any] = {}
        as_category = column.kind == "category"
        if column.missing:
            as_category = self._missing(column, inputs) or as_category
        if as_category:
            for value in column.values:
                self.names[value] = _unique(_text(value) or "(empty)", self.names)
            names = list(self.names.values())
            if column.missing and not self.may_be_missing:
                self.fill = _unique("missing", names)
                names.append(self.fill)
                self.notes.append(f"a missing value is the category {self.fill}")
            self.yaml["categories"] = names
        else:
            low, high = column.low, column.high
            if self.fill != MARK:
                low, high = min(low, float(self.fill)), max(high, float(self.fill))
            low, high = (int(low), int(high)) if column.kind == "integer" else (low, high)
            self.yaml[column.kind] = f"{_decimal(low)}..{_decimal(high)}"
            if self.fill != MARK:
                self.notes.append(f"a missing value counts as {self.fill}, as the model's own steps fill it")
        if self.may_be_missing:
            self.yaml["missing"] = True
            self.notes.append("a value may be missing, as in some rows")
        rest = column.missing and not (as_category and not self.may_be_missing)
        feeds = [_input(i, column, rest) for i in inputs]
        if feeds != ["value"] or column.kind == "category":
            self.yaml["inputs"] = feeds if len(feeds) != 1 else feeds[0]

    def _missing(self, column: Column, inputs: Sequence[Input]) -> bool:
        """Decide what a missing value is; true if it becomes a category beside the values."""
        tables = [i for i in inputs if isinstance(i, Table)]
        nan = [math.isnan(t.entries[-1]) for t in tables]
        scales = [i for i in inputs if isinstance(i, Scale)]
        if len(inputs) == 1 and (nan == [True] or scales and column.kind == "integer"):
            if scales and (scales[0].scale, scales[0].offset) != (1, 0):
                raise _no_missing(column.name)
            self.may_be_missing = True
            return False
        if scales and scales[0].fill is not None:
            self.fill = _text(scales[0].fill)
            return False
        if column.kind == "real" and inputs or scales or any(nan):
            raise _no_missing(column.name)
        if column.kind == "real":
            self.fill = repr(column.low)
            return False
        if column.kind == "integer":
            for k, value in enumerate(column.values):
                if all(t.entries[k] == t.entries[-1] for t in tables):
                    self.fill = str(int(value))
                    return False
            return True
        return False

    def cells(self, values: Sequence[Any]) -> List[Any]:
        """The cells of rows as the study's file has them."""
        one: Any = self.names.__getitem__ if self.names else int if self.column.kind == "integer" else float
        if self.column.missing:
            return [self.fill if is_missing(v) else one(v) for v in values]
        return list(map(one, values))

    def numbers(self, values: Sequence[Any]) -> List[float]:
        """The cells of rows as the numbers of the program."""
        codes = {name: float(i) for i, name in enumerate(self.yaml.get("categories", ()))}
        return [codes[c] if codes else self.column.high + 1 if c == MARK else float(c) for c in self.cells(values)]

    def cell(self, number: float) -> Any:
        """The frame's cell for a number of the program."""
        if self.names:
            return self.column.values[int(number)] if number < len(self.column.values) else self.column.absent
        if self.may_be_missing and number > self.column.high:
            return self.column.absent
        return int(number) if self.column.kind == "integer" else number

    def values(self, given: Any) -> Any:
        """The protected values that copies take, as the study says them."""
        if given is None or isinstance(given, str) and given == "all":
            if self.column.kind == "real":
                raise StudyError(f"{self.column.name!r} has real numbers: name those that are compared, protected={{{self.column.name!r}: […]}}")
            if not self.column.missing and (len(self.names) == 1 if self.names else self.column.low == self.column.high):
                raise StudyError(f"{self.column.name!r} has one value in X, so nothing is compared: give the others, domains={{{self.column.name!r}: […]}}")
            return "all"
        if isinstance(given, tuple) and len(given) == 2 and not self.names:
            return f"{given[0]}..{given[1]}"
        of = self.named() if self.names else None
        return [_named(self.column.name, v, of) for v in ([given] if isinstance(given, (str, int, float)) else given)]

    def named(self) -> Dict[Any, str]:
        """The name of each value of a feature of categories; None is a missing one."""
        return {**self.names, None: self.fill} if self.column.missing and self.fill != MARK else dict(self.names)


def _no_missing(name: str) -> StudyError:
    return StudyError(
        f"column {name!r} has missing values, which hyfair cannot follow through the model's steps: fill them before the "
        f"model, drop these rows, or use whole numbers, of which trees may miss one")


def _input(one: Input, column: Column, missing_last: bool) -> Any:
    if isinstance(one, Scale):
        return "value" if (one.scale, one.offset) == (1, 0) else {"scale": float(one.scale), "offset": float(one.offset)}
    entries = [float(e) for e in one.entries]
    if missing_last:
        entries = entries[:-1]
    if any(not math.isfinite(e) for e in entries):
        raise ModelNotReadable(f"the model takes {column.name!r} = {column.values[[math.isfinite(e) for e in entries].index(False)]!r} "
                               f"for a missing value: give domains={{{column.name!r}: …}} without it")
    if not missing_last and len(entries) == len(column.values) and column.kind == "integer" and all(map(_same, entries, column.values)):
        return "value"
    return {"table": entries}


def _same(entry: float, value: Any) -> bool:
    return bool(entry == value)


def _refuse_unfit(model: Any, names: Sequence[str]) -> None:
    """Refuse an estimator that is not fitted, or was fitted on other columns."""
    if isinstance(model, type):
        raise ModelNotReadable(f"{model.__name__} is a class, not a fitted model: give {model.__name__}(…).fit(X, y)")
    if type(model).__module__.partition(".")[0] == "sklearn":
        from sklearn.exceptions import NotFittedError  # type: ignore[import-not-found, import-untyped, unused-ignore]
        from sklearn.utils.validation import check_is_fitted  # type: ignore[import-not-found, import-untyped, unused-ignore]

        try:
            check_is_fitted(model)
        except NotFittedError:
            raise ModelNotReadable(f"{type(model).__name__} is not fitted: call fit(X, y) first") from None
    fitted = _fitted_with(model, names)
    gone = [w for w in fitted if w not in names]
    if gone and len(gone) < len(fitted):  # a model of an array may have made names up
        raise StudyError(f"X lacks {listed(gone)}, which the model was fitted with: give the frame that model.predict_proba takes")


def _fitted_with(model: Any, columns: Sequence[str]) -> List[str]:
    """The names of the columns that the estimator was fitted with, empty if it has none."""
    blanks = {re.sub(r"\s", "_", c): c for c in columns}  # as LightGBM has them
    for attribute in ("feature_names_in_", "feature_names_", "feature_names", "feature_name"):  # the second is CatBoost's, others Boosters'
        try:
            names: Any = getattr(model, attribute, None)
            names = names() if callable(names) else names
        except Exception:  # the first step of a pipeline may lack it
            continue
        if names is not None and not isinstance(names, str):
            return [n if n in columns else blanks.get(n, n) for n in map(str, names)]
    return []


def _as_predicted(model: Any, copy: Copy, frame: Any, scores: Sequence[float]) -> None:
    """Refuse an estimator whose predict says something else than its scores and their threshold."""
    if not hasattr(model, "predict") or not hasattr(model, "classes_"):
        return
    said, yes = model.predict(frame), _text(copy.positive)
    threshold = 0.5 if copy.threshold is None else copy.threshold
    wrong = sum((score > threshold) != (_text(label) == yes) for score, label in zip(scores, said) if abs(score - threshold) > 1e-6)
    if wrong:
        raise StudyError(f"{type(model).__name__}.predict decides for {wrong:,} of {len(scores):,} rows otherwise than scores above {threshold} "
                         f"do: give threshold=, the score above which its decision is {copy.positive!r}")


def _scores(model: Any, copy: Copy, frame: Any, count: int, of: str) -> List[float]:
    """The estimator's own scores, checked."""
    try:
        values = models.scores(model, frame, copy.positive)
    except TypeError as err:
        if isinstance(getattr(model, "classes_", None), list):
            raise ModelNotReadable(f"{type(model).__name__} has several outputs: ask about one of its estimators_ by itself") from err
        raise
    out = [float(v) for v in values]
    if len(out) != count:
        raise DisagreesWithModel(f"the model gives {len(out):,} scores for {count:,} {of}: want one for each", None)
    wrong = [i for i, v in enumerate(out) if not math.isfinite(v)]
    if wrong:
        raise DisagreesWithModel(f"the model's score of {'row' if of == 'rows' else 'made-up person'} {wrong[0]:,} is {out[wrong[0]]}: "
                                 "want a number; look for missing or infinite values", None)
    return out


def _held(of: str, folder: Path, rows: Any, frame: Frame, copy: Copy, held: Mapping[str, Any]) -> int:
    """The number of people who get another decision by rounding only, such as a tie of a forest's votes.

    Raises DisagreesWithModel if the comparison found more of a difference.
    """
    differ, close = held["differ"], int(held.get("close", 0))
    if not differ and (not close or float(held["worst"]) <= ROUNDING):
        return close
    lines = _lines(folder / "rows.csv")
    at = [lines[first["line"]] for first in held["first"]]
    import narwhals as nw

    shown = frame.head(at, rows)
    shown = shown.with_columns(
        nw.new_series("model_score", [f["theirs"] for f in held["first"]], backend=shown.implementation),
        nw.new_series("copy_score", [f["ours"] for f in held["first"]], backend=shown.implementation))
    if differ:
        text = (f"hyfair's copy of the {copy.library} model gives other scores for {differ:,} of {held['rows']:,} {of}, by up to "
                f"{held['worst']:.3g}: please report it; .rows has the first {len(at)}")
    else:
        above = max(max(f["theirs"], f["ours"]) for f in held["first"]) + held["tolerance"] / 1000
        text = (f"the copy's scores are those of the {copy.library} model but for rounding, and yet {close:,} of {held['rows']:,} {of} get "
                f"another decision, since their scores are at the threshold: threshold={above:.7f} lies above them; .rows has the first {len(at)}")
    raise DisagreesWithModel(text, shown.to_native())


def _lines(path: Path) -> Dict[int, int]:
    """The row that begins in each line of a file."""
    out: Dict[int, int] = {}
    with open(path, newline="", encoding="utf-8") as file:
        reader, begin = csv.reader(file), 1
        for i, _ in enumerate(reader):
            out[begin], begin = i - 1, reader.line_num + 1
    return out


def _write_rows(path: Path, table: Mapping[str, Sequence[Any]]) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table)
        writer.writerows(zip(*table.values()))


def _protected(given: Any, other: Any, frame: Frame) -> Dict[str, Any]:
    names = frame.names
    if given is not None and other is not None:
        raise StudyError("protected= and sensitive_features= mean the same: give one")
    given = other if given is None else given
    if given is None:
        raise StudyError("protected= is missing: name the columns that must not matter, such as protected=[\"sex\"]")
    if isinstance(given, str):
        given = [given]
    if isinstance(given, Mapping):
        out = dict(given)
    elif hasattr(given, "columns") and not callable(given.columns):
        out = {name: None for name in given.columns}
    elif isinstance(getattr(given, "name", None), str):
        out = {given.name: None}
        if given.name in names and list(given) != frame.data.get_column(given.name).to_list():
            raise StudyError(f"sensitive_features= has other values than the column {given.name!r} of X: add them to X as a column of its own, "
                             "and name that")
    else:
        out = {name: None for name in given}
    gone = [str(name) for name in out if name not in names]
    if gone:
        raise StudyError(f"protected= names {listed(gone)}, which X does not have: it has {listed(names)}; add the column to X, even if the model does not use it")
    if not out:
        raise StudyError("protected= names no column: name those that must not matter, such as protected=[\"sex\"]")
    return out


def _constraints(given: Any, names: Names) -> Optional[Dict[str, Any]]:
    if given is None:
        return None
    if isinstance(given, str):
        given = [given]
    rules = given.items() if isinstance(given, Mapping) else ((f"rule-{i + 1}", rule) for i, rule in enumerate(given))
    out: Dict[str, Any] = {}
    for name, rule in rules:
        if isinstance(rule, Mapping) and "forbid" in rule:
            out[name] = {**rule, "forbid": _predicate(rule["forbid"], names)}
        else:
            out[name] = {"forbid": [_predicate(r, names) for r in rule] if isinstance(rule, (list, tuple)) else _predicate(rule, names)}
    return out


def _predicate(where: Any, names: Names) -> Optional[str]:
    """``{"age": (30, 39), "sex": "male"}`` as the program writes it: age=30..39,sex=male."""
    if where is None or isinstance(where, str):
        return where
    if not isinstance(where, Mapping):
        raise StudyError(f"where={where!r}: want a mapping such as {{'age': (30, 39), 'sex': 'male'}}, or a text such as 'age=30..39,sex=male'")

    def side(name: str, value: Any) -> str:
        def word(one: Any) -> str:
            return _escaped(_named(name, one, names.get(name)))

        if isinstance(value, range) and value.step == 1 and value:
            value = value.start, value[-1]
        if isinstance(value, tuple) and len(value) == 2:
            return "..".join("" if v is None else word(v) if name in names else _text(v) for v in value)
        many = isinstance(value, (list, set, frozenset)) or getattr(value, "ndim", 0) == 1
        return "|".join(map(word, value)) if many else word(value)

    return ",".join(f"{_escaped(name)}={side(name, value)}" for name, value in where.items())


def _named(feature: str, value: Any, names: Optional[Mapping[Any, str]]) -> str:
    """A value as the study's file names it. The program takes a number that names no category for its index."""
    if is_missing(value):
        value = None
    if names is None:
        return "missing" if value is None else _text(value)
    if value in names:
        return names[value]
    if _text(value) not in names.values():
        raise StudyError(f"{feature!r} has no value {value!r}: it has {listed(list(names.values()))}")
    return _text(value)


def _escaped(text: str) -> str:
    """A name in a predicate; sdk/space/escape.go reads it."""
    return re.sub(r"[\\,|=.]|^\s+|\s+$", lambda found: "".join("\\" + c for c in found[0]), text)


def _by_group(threshold: Mapping[str, Any], names: Names) -> Dict[str, Any]:
    """Thresholds by group as the study's file has them. A text that is no value is several, as in a predicate."""
    def key(name: str, value: Any) -> str:
        if isinstance(value, tuple) and len(value) == 2:
            return "..".join(map(_text, value))
        if isinstance(value, str) and value not in names.get(name, {}) and re.search(r"\.\.|\|", value):
            return value
        return _escaped(_named(name, value, names.get(name)))

    return {name: {key(name, v): _by_group(t, names) if isinstance(t, Mapping) else _decimal(t) for v, t in of.items()}
            for name, of in threshold.items()}


def _thresholds(given: Mapping[str, Any], names: Names) -> List[str]:
    """The flag for thresholds by group, or for bands."""
    if not any(isinstance(v, Mapping) for v in given.values()):
        return ["--bands", ",".join(f"{k}={_decimal(v)}" for k, v in given.items())]
    (name, of), *more = _by_group(given, names).items()
    if more or any(isinstance(t, Mapping) or "," in k for k, t in of.items()) or ":" in name:
        raise StudyError("threshold= of a question is by one attribute, without a colon in its name or a comma in its values: give it to Study")
    return ["--threshold", f"{name}:" + ",".join(f"{k}={t}" for k, t in of.items())]


_TIMES = {"timeout", "budget", "bound", "prove", "soft_timeout"}


def _time(name: str, value: Any) -> str:
    """A time as the program takes it. The unit of a number is seconds."""
    seconds = value.total_seconds() if isinstance(value, timedelta) else plain(value)
    if isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and 0 <= seconds < math.inf:
        return f"{seconds:f}".rstrip("0").rstrip(".") + "s"
    if isinstance(value, str) and re.fullmatch(r"0|([0-9]+[.]?[0-9]*|[.][0-9]+)(ns|us|µs|ms|s|m|h)(.*[smh])?" + r"|[0-9]+(it|ev)" * (name == "budget"), value):
        return value
    raise StudyError(f"{name}={value!r}: want seconds, such as 60, or a time such as '60s' or '5m'"
                     + ", or for a search '5000it' (iterations) or '100000ev' (evaluations)" * (name == "budget"))


_REPEATED = {"rules", "protected", "arms", "relax", "set", "row"}


def _flag(name: str, value: Any) -> List[str]:
    if isinstance(value, bool):
        return [f"--{name}" if value else f"--{name}=false"]
    if isinstance(value, Mapping):
        return [f"--{name}", ",".join(f"{k}={_decimal(v)}" for k, v in value.items())]
    if isinstance(value, (list, tuple)):
        if name in _REPEATED:
            return [word for v in value for word in (f"--{name}", str(v) if name in ("row", "set") else _quoted(str(v)))]
        return [f"--{name}", ",".join(map(_decimal, value))]
    return [f"--{name}", _decimal(value)]


def _quoted(text: str) -> str:
    """One of the values of a flag that takes several, as CSV has it."""
    return '"' + text.replace('"', '""') + '"' if re.search('[,"\n]', text) else text


def _cells(values: Any, count: int, what: str) -> List[Any]:
    """A column given beside the frame, as a list."""
    if isinstance(values, str):
        raise StudyError(f"{what}={values!r} is a text: give the values, such as df[{values!r}]")
    ndim = getattr(values, "ndim", 1)
    if ndim != 1:
        raise StudyError(f"{what} has {ndim} dimensions: give one value for each row")
    out = as_list(values)
    if len(out) != count:
        raise StudyError(f"{what} has {len(out):,} values, but X has {count:,} rows: give one for each row, in the same order")
    if any(is_missing(v) for v in out):
        raise StudyError(f"{what} has missing values: fill them, or drop these rows from X and {what}")
    return out


def _weights(values: Any, count: int) -> List[float]:
    out = _cells(values, count, "weights")
    wrong = [w for w in out if not isinstance(w, (int, float)) or not 0 <= w < math.inf]
    if wrong or not any(out):
        raise StudyError(f"weights has {wrong[0]!r}: want numbers from 0" if wrong else "all weights are 0: want some above")
    return out


def _unique(name: str, taken: Any) -> str:
    taken = set(taken.values()) if isinstance(taken, Mapping) else set(taken)
    while name in taken:
        name += "'"
    return name


def _text(value: Any) -> str:
    value = plain(value)
    return str(int(value)) if isinstance(value, float) and value.is_integer() else _decimal(value)


def _column_text(column: Column) -> str:
    if column.kind == "category":
        return listed([_text(v) for v in column.values])
    return f"{_text(column.low)}..{_text(column.high)}"


def _domain_text(feature: Mapping[str, Any]) -> str:
    names = feature.get("categories")
    text = listed(names) if names else f"{feature['kind']} {_text(feature['lo'])}..{_text(feature['hi'] - bool(feature.get('missing')))}"
    return text + (", or missing" if feature.get("missing") and not names else "")


_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_ -]*[A-Za-z0-9_]|[A-Za-z_]|-?[0-9.]+(e[-+]?[0-9]+)?")
_WORDS = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}


def _decimal(value: Any) -> str:
    """A number as the shortest decimal that is it; another value as its text."""
    value = plain(value)
    return repr(value) if isinstance(value, float) else str(value)


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = _decimal(value)
    return text if _PLAIN.fullmatch(text) and text.lower() not in _WORDS else json.dumps(text, ensure_ascii=False)


def _flow(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_scalar(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return _scalar(value)


def _yaml(content: Mapping[str, Any]) -> str:
    """The study's file: a line for each key, and for each feature."""
    out = []
    for key, value in content.items():
        if value is None:
            continue
        if isinstance(value, Mapping) and key in ("data", "features", "protected", "constraints", "decision"):
            out.append(f"{key}:")
            out += [f"  {_scalar(k)}: {_flow(v)}" for k, v in value.items()]
        else:
            out.append(f"{key}: {_flow(value)}")
    return "\n".join(out) + "\n"
