"""The answers of hyfair as dataclasses, one for each object of its JSON.

Written by scripts/python_results.py from docs/reference/schema.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional


@dataclass(frozen=True)
class AskedSolver:
    """Solver identifies the solver in results."""

    library: str
    """The native library with its version; empty without one."""

    name: str
    """The solver plugin."""

    version: str
    """The plugin's version and its build: the commit, or the start of its files' checksum."""


@dataclass(frozen=True)
class AuditAnswer:
    """Result is the answer to a Request and the JSON object of hyfair audit."""

    epsilon: str
    """The exact width of bins; except with the notion logit, also the largest fair gap; empty for several classes, and
    where k counts bands."""

    model: str
    """The file name of the model."""

    protected: List[str]
    """The attributes that vary."""

    rows: List[AuditRow]
    """The people asked for, the worst-treated first: by k, then by gap."""

    rules: List[str]
    """The constraints that are on."""

    seconds: float
    """Wall time in seconds."""

    seed: int
    """The value of --seed, which seeds the score changes of groups."""

    study: str
    """The study's name."""

    summary: AuditSummary
    """All people together."""

    change: Optional[AuditChange] = None
    """The changes since the model of --baseline."""

    classes: Optional[AuditClasses] = None
    """The people by class, for a model of several classes, one of which wins, or by band; otherwise absent. If it is
    present, k counts classes or bands, and flips and unfair are the people whose class or band changes. With
    classes there are no scores, gaps and other decisions. With bands and --notion score or logit, k and unfair are
    about scores."""

    curve: Optional[List[AuditThreshold]] = None
    """The decisions at each of --thresholds."""

    decision: Optional[QuestionDecision] = None
    """The rule of a positive decision; absent for a score above ½ that is favourable."""

    gates: Optional[List[GateCheck]] = None
    """The outcome of each gate."""

    groups: Optional[AuditRates] = None
    """Rates by group, with --groups; for a model of several classes they are in the field classes. With bands the
    favourable decision is the best band, or that of --favourable and better ones."""

    input_check: Optional[StudyInputCheck] = None
    """The check of the study's inputs."""

    interrupted: Optional[bool] = None
    """A signal or the budget of --calls ended the command early."""

    limit: Optional[str] = None
    """The exact ε of the notion logit."""

    notion: Optional[str] = None
    """The value of --notion; absent for the default: score or, with bands, decision."""

    number: Optional[bool] = None
    """The model predicts a number: gaps and scores are of predictions, k is 1, and there are no decisions."""

    observed: Optional[ScorerSpent] = None
    """The answers of a model plugin that the result rests on, and what they cost: it is observed, and nothing is
    proved about the model. Absent for a model that was read."""

    out: Optional[str] = None
    """The CSV file that was written."""

    positive: Optional[str] = None
    """The meaning of a positive decision by the study's label, such as "default = yes"."""

    weights: Optional[AuditWeights] = None
    """The weights of the rows; absent where each counts once."""

    where: Optional[str] = None
    """The value of --where."""


@dataclass(frozen=True)
class AuditAttribute:
    """Attribute is what one protected feature does to people whose other features keep their values: k, gap and
    decisions are over its values alone."""

    flips: int
    """The number of people who would get the other decision, or another class or band, with other protected values."""

    flips_share: float
    """Their share, 0 to 1."""

    gain: int
    """The number of people who would get the favourable decision: to_yes, or to_no where the negative one is
    favourable; with bands, of those who would get a better one."""

    gain_share: float
    """Their share, 0 to 1."""

    groups: List[AuditGroup]
    """The people by their own value."""

    k: List[AuditKCount]
    """The people by their k."""

    lose: int
    """The number of people who would lose it; with bands, of those who would get a worse one."""

    lose_share: float
    """Their share, 0 to 1."""

    max_gap: float
    """The largest gap."""

    max_k: int
    """The largest k."""

    mean_gap: float
    """The mean of the people's gaps."""

    mean_k: float
    """The mean of the people's k."""

    name: str
    """The protected attribute."""

    people: int
    """The number of people audited."""

    positive: int
    """The number of people with a positive decision."""

    positive_share: float
    """Their share, 0 to 1."""

    strongest: int
    """The number of people treated unfairly by this attribute for whom no other attribute has a larger gap."""

    to_no: int
    """The number of them with a positive decision, which would become negative."""

    to_yes: int
    """The number of them with a negative decision, which would become positive."""

    unfair: int
    """The number of people with a gap above ε, or whose copies violate the notion."""

    unfair_share: float
    """Their share, 0 to 1."""

    weight: Optional[float] = None
    """The sum of the people's weights; absent without weights."""


@dataclass(frozen=True)
class AuditChange:
    """Change is what a new model changes for the people audited with both models."""

    attributes: List[AuditChangedAttribute]
    """The protected attributes, with the changes of each group."""

    better: int
    """The number of people that the old model alone treats unfairly."""

    changed: int
    """The number of people whose decision changes."""

    changed_share: float
    """Their share of the people."""

    mean_score_change: float
    """The mean size of the change of scores."""

    new_positive: int
    """The number of positive decisions of the new model; 0 with bands."""

    new_unfair: int
    """The number of people that the new model treats unfairly."""

    old: AuditOfModel
    """The old model."""

    old_positive: int
    """The number of positive decisions of the old model; 0 with bands."""

    old_unfair: int
    """The number of people that the old model treats unfairly."""

    people: int
    """The number of people audited with both models."""

    to_no: int
    """The number of those whose decision becomes negative; with bands, of those who get a band of lower scores."""

    to_yes: int
    """The number of those whose decision becomes positive; with bands, of those who get a band of higher scores."""

    worse: int
    """The number of people that the new model alone treats unfairly."""

    worse_share: float
    """The share of the people that the new model alone treats unfairly."""

    bands: Optional[List[AuditClass]] = None
    """With bands: the people by their band with the old model; those who leave it enter the band that they have with
    the new model."""

    largest_score_change: Optional[AuditMoved] = None
    """The person with the largest change of score; absent if no score changes."""

    weight: Optional[str] = None
    """The column of the weights by which shares and the mean count; absent where each row counts once."""


@dataclass(frozen=True)
class AuditChangedAttribute:
    """ChangedAttribute groups the people by their own values of an attribute."""

    groups: List[AuditChangedGroup]
    """The groups by value."""

    name: str
    """The attribute."""


@dataclass(frozen=True)
class AuditChangedGroup:
    """ChangedGroup counts the changes of people with one value, or a range of values, of an attribute."""

    better: int
    """The number of people that the old model alone treats unfairly."""

    changed: int
    """The number of people whose decision changes."""

    changed_share: float
    """Their share of the people."""

    label: str
    """The value, or the range of values."""

    people: int
    """The number of people with such a value."""

    to_no: int
    """The number of those whose decision becomes negative; with bands, of those who get a band of lower scores."""

    to_yes: int
    """The number of those whose decision becomes positive; with bands, of those who get a band of higher scores."""

    worse: int
    """The number of people that the new model alone treats unfairly."""


@dataclass(frozen=True)
class AuditClass:
    """Class is the people of one class."""

    class_: int = field(metadata={"json": "class"})
    """The class, from 0 in the order of the model's outputs; the number of classes stands for a tie. A band has its
    place, 0 for the best."""

    enter: List[int]
    """The number of people of this class with a copy in class 0, in class 1, …, and last with a tie; or in each band."""

    leave: int
    """The number of them with a copy in another class."""

    leave_share: float
    """Their share of the people of this class, 0 to 1."""

    people: int
    """The number of people of this class."""

    groups: Optional[AuditRates] = None
    """With --groups: rates of people who get this class or band, by group. It stands for the favourable decision;
    there are no scoring and error rates and no proxies."""

    name: Optional[str] = None
    """The name of the band; absent for classes of a model."""


@dataclass(frozen=True)
class AuditClasses:
    """Classes says whose class changes. A person's class is the one with the largest output, for a model of several
    classes, or the person's band, for a decision with bands."""

    attributes: List[AuditClassesBy]
    """The same with copies that differ in one attribute only."""

    classes: List[AuditClass]
    """The people by their own class, with copies that differ in any protected attributes."""


@dataclass(frozen=True)
class AuditClassesBy:
    """ClassesBy is one attribute."""

    classes: List[AuditClass]
    """The people by their own class."""

    name: str
    """The protected attribute."""


@dataclass(frozen=True)
class AuditGroup:
    """Group is the people whose own values of an attribute lie between From and To, which are equal for a category."""

    advantage: float
    """The mean, over the group, of a person's own score less the mean score with the attribute's other values; the
    reverse where a low score is favourable."""

    flips: int
    """The number of people who would get the other decision, or another class or band, with other protected values."""

    flips_share: float
    """Their share, 0 to 1."""

    from_: float = field(metadata={"json": "from"})
    """The least value among the group's people."""

    gain: int
    """The number of people who would get the favourable decision: to_yes, or to_no where the negative one is
    favourable; with bands, of those who would get a better one."""

    gain_share: float
    """Their share, 0 to 1."""

    k: List[AuditKCount]
    """The people by their k."""

    label: str
    """The group's values as text."""

    lose: int
    """The number of people who would lose it; with bands, of those who would get a worse one."""

    lose_share: float
    """Their share, 0 to 1."""

    max_gap: float
    """The largest gap."""

    max_k: int
    """The largest k."""

    mean_gap: float
    """The mean of the people's gaps."""

    mean_k: float
    """The mean of the people's k."""

    people: int
    """The number of people audited."""

    positive: int
    """The number of people with a positive decision."""

    positive_share: float
    """Their share, 0 to 1."""

    to: float
    """The largest value among the group's people."""

    to_no: int
    """The number of them with a positive decision, which would become negative."""

    to_yes: int
    """The number of them with a negative decision, which would become positive."""

    unfair: int
    """The number of people with a gap above ε, or whose copies violate the notion."""

    unfair_share: float
    """Their share, 0 to 1."""

    classes: Optional[List[AuditClass]] = None
    """The people of the group by their own class or band, with copies that differ in this attribute alone; absent
    without classes and bands."""

    weight: Optional[float] = None
    """The sum of the people's weights; absent without weights."""


@dataclass(frozen=True)
class AuditGroupRates:
    """GroupRates has the rates of one group."""

    judged: bool
    """The group has at least min_share of the people, and its attribute is known."""

    label: str
    """The group's value as text."""

    people: int
    """The number of people in the group."""

    scoring: AuditRate
    """The rate of people whose score is on the favourable side of the median."""

    selection: AuditRate
    """The rate of people with the favourable decision."""

    share: float
    """Their share of all people, 0 to 1, by weight where there are weights."""

    false_positive: Optional[AuditRate] = None
    """The rate of the favourable decision among people with the other label; absent without labels."""

    impact_ratio: Optional[float] = None
    """The selection rate over the highest one of a judged group."""

    impact_ratio_high: Optional[float] = None
    """The upper end of that interval."""

    impact_ratio_low: Optional[float] = None
    """The lower end of the ratio's 95 % interval, by the delta method of its logarithm (Katz et al. 1978)."""

    precision: Optional[AuditRate] = None
    """The rate of the favourable label among people with the favourable decision; absent without labels."""

    scoring_ratio: Optional[float] = None
    """The scoring rate over the highest one of a judged group."""

    true_positive: Optional[AuditRate] = None
    """The rate of the favourable decision among people with the favourable label, 1 or, where the negative decision is
    favourable, 0; absent without labels."""

    twins: Optional[AuditTwins] = None
    """How much of the impact ratio depends on the attribute itself; absent for the group with the highest rate or if
    that rate is 0, for the group without a value, and unless the groups are the categories of one attribute."""


@dataclass(frozen=True)
class AuditIntersection:
    """Intersection counts the people with the same value, or range of values, in every protected feature."""

    flips: int
    """The number of people who would get the other decision, or another class or band, with other protected values."""

    flips_share: float
    """Their share, 0 to 1."""

    gain: int
    """The number of people who would get the favourable decision: to_yes, or to_no where the negative one is
    favourable; with bands, of those who would get a better one."""

    gain_share: float
    """Their share, 0 to 1."""

    lose: int
    """The number of people who would lose it; with bands, of those who would get a worse one."""

    lose_share: float
    """Their share, 0 to 1."""

    mean_gap: float
    """The mean of their score gaps."""

    people: int
    """The number of people with these values."""

    positive: int
    """The number of people with a positive decision."""

    positive_share: float
    """Their share, 0 to 1."""

    to_no: int
    """The number of them with a positive decision, which would become negative."""

    to_yes: int
    """The number of them with a negative decision, which would become positive."""

    unfair: int
    """The number of them who are treated unfairly."""

    unfair_share: float
    """Their share, 0 to 1."""

    values: List[str]
    """The values, as labels or ranges, in the order of the attributes."""

    weight: Optional[float] = None
    """The sum of their weights; absent without weights."""


@dataclass(frozen=True)
class AuditKCount:
    """KCount is a bar of the histogram of k."""

    k: int
    """A number of bins."""

    people: int
    """The number of people with this k."""


@dataclass(frozen=True)
class AuditMoved:
    """Moved is a person whose score changed."""

    file: str
    """The file of the row."""

    line: int
    """The line on which the row begins."""

    new_score: float
    """The score by the new model."""

    old_score: float
    """The score by the old model."""


@dataclass(frozen=True)
class AuditOfModel:
    """OfModel names a model."""

    model: str
    """The file name of the model."""

    study: str
    """The study's name."""

    decision: Optional[QuestionDecision] = None
    """The rule of a positive decision; absent for a score above ½ that is favourable."""

    input_check: Optional[StudyInputCheck] = None
    """The check of the study's inputs."""

    observed: Optional[ScorerSpent] = None
    """The answers of a model plugin that the result rests on, and what they cost: it is observed, and nothing is
    proved about the model. Absent for a model that was read."""


@dataclass(frozen=True)
class AuditProxy:
    """Proxy measures how well an unprotected feature stands in for a protected one."""

    feature: str
    """The feature."""

    information: float
    """The share, 0 to 1, of the entropy of the protected attribute that the feature removes: the mutual information of
    both in the rows, less its bias (Miller 1955), over the entropy of the attribute. Values of real and integer
    features are cut into at most ten groups with about the same number of rows."""

    score_change: float
    """The mean absolute change of people's scores when the feature takes the value of another person, drawn at random."""


@dataclass(frozen=True)
class AuditRate:
    """Rate is the share Hits/Of; Rate is nil if Of is 0. Low and High are the ends of Wilson's 95 % interval."""

    high: float
    """The upper end of Wilson's 95 % interval."""

    hits: int
    """The people counted by the rate."""

    low: float
    """The lower end of Wilson's 95 % interval."""

    of: int
    """The people among whom they were counted."""

    rate: Optional[float]
    """hits divided by of, by weight where there are weights; null for 0 of 0."""

    effective: Optional[float] = None
    """The effective number of people among them, by Kish 1965: the square of the sum of their weights over the sum of
    the squares. Absent without weights."""


@dataclass(frozen=True)
class AuditRated:
    """Rated has the rates of the groups of one attribute, or of several together."""

    groups: List[AuditGroupRates]
    """The groups by value."""

    name: str
    """The attribute, or several as in "sex × age"."""

    difference: Optional[float] = None
    """The largest difference between their selection rates; absent if fewer than two have a rate."""

    equal_opportunity_difference: Optional[float] = None
    """The largest difference of true positive rates between judged groups; absent without labels."""

    equalized_odds_difference: Optional[float] = None
    """The larger of the differences of true and of false positive rates between judged groups; absent without labels."""

    impact_ratio: Optional[float] = None
    """The least impact ratio of the judged groups; absent if fewer than two have a rate."""

    proxies: Optional[List[AuditProxy]] = None
    """The features that are not protected, those that say most about the attribute first; absent for several
    attributes together."""


@dataclass(frozen=True)
class AuditRates:
    """Rates compares groups of people by their decisions and scores, as NYC Local Law 144 and fairlearn do. Groups
    smaller than MinShare are counted but not judged."""

    attributes: List[AuditRated]
    """Each protected attribute and, if there are several, all of them together."""

    favourable: str
    """The decision that selects people: positive, or negative if a positive one is bad for them; with several classes
    or bands, the class, the band, or "band B or better"."""

    median: float
    """The median of all scores, above which a person scores high."""

    min_share: float
    """The least share of the people that a judged group has."""

    unlabelled: Optional[str] = None
    """Why there are no error rates though the rows have the label's column."""


@dataclass(frozen=True)
class AuditRow:
    """Row is one audited person."""

    attributes: List[AuditRowEffect]
    """The effect of each protected attribute alone."""

    file: str
    """The file of the row."""

    flips: bool
    """Some copy gets the other decision, or another class or band."""

    gap: float
    """The largest difference of two copies' scores."""

    high: AuditRowCopy
    """The copy with the highest score; with several classes, a copy of another class."""

    index: int
    """The row's number, from 0, without the rows that are left out for missing values."""

    k: int
    """The number of bins, classes or bands of the copies."""

    labels: Dict[str, str]
    """All values as text."""

    line: int
    """The line where the row begins."""

    low: AuditRowCopy
    """The copy with the lowest score; with several classes, the person."""

    min_entropy: float
    """The min-entropy of that distribution, in bits."""

    n: int
    """The number of copies, the person included."""

    positive: bool
    """The person's own decision is positive. With bands: the band is favourable or, if low scores are favourable, it
    is not."""

    score: float
    """The person's own score."""

    shannon: float
    """The Shannon entropy of the copies' distribution over the bins, in bits."""

    unfair: bool
    """The gap exceeds ε, or the copies violate the notion."""

    x: Dict[str, float]
    """The values of the features that are not protected."""

    z: Dict[str, float]
    """The person's own protected values."""

    class_: Optional[int] = field(default=None, metadata={"json": "class"})
    """The person's class, from 0, for a model of several classes; the number of classes stands for a tie. With bands:
    the place of the person's band, 0 for the best."""

    enters: Optional[List[int]] = None
    """The other classes or bands of the copies."""

    weight: Optional[float] = None
    """The row's weight; absent without weights."""


@dataclass(frozen=True)
class AuditRowCopy:
    """RowCopy is a counterfactual."""

    labels: Dict[str, str]
    """The protected values as text."""

    score: float
    """The copy's score."""

    z: Dict[str, float]
    """The protected values."""


@dataclass(frozen=True)
class AuditRowEffect:
    """RowEffect is the effect of one attribute by itself on a person."""

    advantage: float
    """The person's own score less the mean score with the attribute's other values; the reverse if a low score is
    favourable."""

    best: str
    """The value with the highest score, as a label; with the lowest, if a low score is favourable."""

    best_score: float
    """The score with the best value."""

    flips: bool
    """Some of these copies get the other decision, or another class or band."""

    gap: float
    """The largest difference of their scores."""

    k: int
    """The number of bins, over the attribute's values alone."""

    n: int
    """The number of copies that differ in this attribute alone, the person included."""

    name: str
    """The protected attribute."""

    unfair: bool
    """That gap exceeds ε, or these copies violate the notion."""

    worst: str
    """The value with the lowest score, as a label; with the highest, if a low score is favourable."""

    worst_score: float
    """The score with the worst value."""


@dataclass(frozen=True)
class AuditSummary:
    """Summary sums up all people, each compared with all of the person's counterfactuals."""

    alone: int
    """The number of people with no permitted combination except their own."""

    attributes: List[AuditAttribute]
    """The effect of each protected attribute alone, the others at the person's own values."""

    dropped: int
    """The number of rows left out for missing values."""

    excluded: int
    """The number of rows that --where leaves out."""

    flips: int
    """The number of people who would get the other decision, or another class or band, with other protected values."""

    flips_share: float
    """Their share, 0 to 1."""

    forbidden: int
    """The number of rows that a constraint forbids."""

    gain: int
    """The number of people who would get the favourable decision: to_yes, or to_no where the negative one is
    favourable; with bands, of those who would get a better one."""

    gain_share: float
    """Their share, 0 to 1."""

    gaps: List[ViewBin]
    """The people by their score gap, in twentieths from 0 to 1."""

    intersections: List[AuditIntersection]
    """The people by their own values of all protected attributes together, the largest groups first, at most
    MostIntersections. Empty if only one attribute is protected."""

    k: List[AuditKCount]
    """The people by their k."""

    lose: int
    """The number of people who would lose it; with bands, of those who would get a worse one."""

    lose_share: float
    """Their share, 0 to 1."""

    max_gap: float
    """The largest gap."""

    max_k: int
    """The largest k."""

    mean_gap: float
    """The mean of the people's gaps."""

    mean_k: float
    """The mean of the people's k."""

    outside: Dict[str, int]
    """The number of rows outside a domain, by the first feature with such a value."""

    people: int
    """The number of people audited."""

    positive: int
    """The number of people with a positive decision."""

    positive_share: float
    """Their share, 0 to 1."""

    rows: int
    """The number of rows read."""

    text: List[str]
    """The summary in sentences."""

    to_no: int
    """The number of them with a positive decision, which would become negative."""

    to_yes: int
    """The number of them with a negative decision, which would become positive."""

    unfair: int
    """The number of people with a gap above ε, or whose copies violate the notion."""

    unfair_share: float
    """Their share, 0 to 1."""

    unreached: int
    """The number of rows not audited before an interrupt."""

    weight: Optional[float] = None
    """The sum of the people's weights; absent without weights."""


@dataclass(frozen=True)
class AuditThreshold:
    """Threshold counts the decisions about the people audited, at one threshold."""

    flips: int
    """The number of people who would get the other decision, or another class or band, with other protected values."""

    flips_share: float
    """Their share, 0 to 1."""

    gain: int
    """The number of people who would get the favourable decision: to_yes, or to_no where the negative one is
    favourable; with bands, of those who would get a better one."""

    gain_share: float
    """Their share, 0 to 1."""

    lose: int
    """The number of people who would lose it; with bands, of those who would get a worse one."""

    lose_share: float
    """Their share, 0 to 1."""

    positive: int
    """The number of people with a positive decision."""

    positive_share: float
    """Their share, 0 to 1."""

    threshold: str
    """The score that a positive decision exceeds."""

    to_no: int
    """The number of them with a positive decision, which would become negative."""

    to_yes: int
    """The number of them with a negative decision, which would become positive."""


@dataclass(frozen=True)
class AuditTwins:
    """Twins factors the impact ratio of a group g against the group h with the highest rate into Direct × Rest ×
    Remainder. A person of g has a twin if the person with h's value is allowed; likewise for h. Direct is the rate
    of the people of g over the rate of their twins. Rest is the rate of these twins over that of the people of h
    who have a twin. Remainder is the impact ratio over the ratio among people with a twin. Back is the rate of the
    twins of h's people over that of these people. Each is nil if its divisor is 0 or unknown."""

    back: Optional[float]
    """The direct factor with the other group's people switched; null if a rate is 0."""

    back_people: int
    """The number of people of the other group who can take this group's value."""

    direct: Optional[float]
    """The rate of the group's people over their rate with the other group's value; null if a rate is 0."""

    of: str
    """The group with the highest rate, with which this one is compared."""

    people: int
    """The number of people of this group who can take the other group's value."""

    remainder: Optional[float]
    """The impact ratio over that of the people who can be switched; null if a rate is 0."""

    rest: Optional[float]
    """Their rate with the other group's value over the rate of the other group's people who can take this group's
    value; null if a rate is 0."""


@dataclass(frozen=True)
class AuditWeights:
    """Weights says how rows are weighted: shares, rates and means count each by its weight, numbers of people count
    rows."""

    column: str
    """The column."""

    effective: float
    """The effective number of people, by Kish 1965: the square of that sum over the sum of the squares."""

    sum: float
    """The sum of the weights of the people audited."""

    zero: int
    """The number of people with the weight 0."""

    absent: Optional[bool] = None
    """The rows have no such column, and each counts once."""


@dataclass(frozen=True)
class CertifyAnswer:
    """Result is the answer to one question and the JSON object of hyfair certify; docs/reference/schema describes its
    fields."""

    bound: Optional[float]
    """No individual's gap exceeds this by more than bound_tolerance; null if no bound is known."""

    bounds: str
    """The bounds of the neurons for the lowering."""

    closed: bool
    """With --maximize, the search ended by proof: the witness's gap and bound are at most 10⁻⁶ or the solver's
    tolerance apart, and at most a thousandth of the gap (10⁻¹², if that is more), unless --gap allows more. Without
    a witness, no gap exceeds bound."""

    encoding: str
    """The lowering of the model for the solver."""

    gap: Optional[float]
    """The witness's score difference, logit difference or decision margin; null without a witness."""

    model: str
    """The file name of the model."""

    nodes: int
    """The number of the solver's nodes."""

    notion: str
    """The notion: score, logit, decision, decision-strict, or share for a model whose output is a share."""

    protected: List[str]
    """The attributes that vary."""

    refinements: int
    """The number of tangents added."""

    regions: Dict[str, int]
    """The number of regions decided, by method: bounds, solver, sampling or enumeration."""

    seconds: float
    """Wall time in seconds, loading included."""

    seed: int
    """The value of --seed."""

    solver: AskedSolver
    """The solver that answered."""

    solves: int
    """The number of questions to the solver."""

    splits: int
    """The number of regions cut in two."""

    spurious: int
    """The number of points that a solver claimed and the replay refused."""

    study: str
    """The study's name."""

    tolerance: float
    """With a fair verdict, no gap exceeds ε by more than this, in the notion's unit. 0 for exact and rigorous proofs."""

    verdict: str
    """The verdict: fair, unfair or undecided."""

    witness: Optional[CertifyWitness]
    """Two counterfactuals of one individual, replayed in exact arithmetic. With an unfair verdict they refute
    fairness; with fair and --maximize they are the worst pair found. Otherwise null."""

    asked_k: Optional[int] = None
    """The value of --k."""

    bound_grade: Optional[str] = None
    """The grade of the proof behind bound, or behind an infinite_bound of −1."""

    bound_tolerance: Optional[float] = None
    """The tolerance of that proof."""

    certificate: Optional[CertifyCertificate] = None
    """The certificate, if one was written."""

    class_: Optional[int] = field(default=None, metadata={"json": "class"})
    """The class that this answer is about, counted from 0, if a study with class: any asks about each in turn."""

    decision: Optional[QuestionDecision] = None
    """The rule of a positive decision; absent for a score above ½ that is favourable."""

    disagreements: Optional[List[str]] = None
    """The faults that are claims refuted by an evaluated individual. They end the command with exit code 4."""

    epsilon: Optional[str] = None
    """ε, exact; absent for the decision notions."""

    faults: Optional[List[str]] = None
    """Mistakes in the solver's answers."""

    gates: Optional[List[GateCheck]] = None
    """The outcome of each gate."""

    grade: Optional[str] = None
    """The grade of the proof of a fair verdict: exact, rigorous or numerical."""

    infinite_bound: Optional[int] = None
    """The sign of an infinite bound, for which bound has no number: 1 if no float64 bounds the gap, −1 if no
    individual has two counterfactuals, which is proved if closed is true."""

    input_check: Optional[StudyInputCheck] = None
    """The check of the study's inputs."""

    journal: Optional[str] = None
    """The journal's file; absent if no journal is written."""

    k: Optional[int] = None
    """The number of bins or bands that the scores of all the individual's counterfactuals fall into; absent without a
    witness and for a notion without bins."""

    max_k: Optional[CertifyMaxK] = None
    """The largest k over all individuals, with --max-k; absent if time ran out before. Its individual is the witness
    if it reaches 3 bins and --maximize is not given."""

    maximize: Optional[bool] = None
    """--maximize was given."""

    near: Optional[str] = None
    """The largest Gower distance from a row of the data, with --near."""

    near_rows: Optional[int] = None
    """With --near: the number of different rows of the data, --where or not; rows with a value outside its domain are
    left out."""

    next: Optional[List[CertifyNext]] = None
    """Commands to try if the verdict is undecided."""

    nobody: Optional[bool] = None
    """The constraints leave no individual in the space, so the verdict is fair without any number."""

    observed: Optional[ScorerSpent] = None
    """The answers of a model plugin that the result rests on, and what they cost: it is observed, and nothing is
    proved about the model. Absent for a model that was read."""

    partitions: Optional[PartitionReport] = None
    """The outcome of the parts, with --partition."""

    reason: Optional[str] = None
    """The reason why the verdict is undecided or the maximum is not closed."""

    relax: Optional[List[str]] = None
    """The values of --relax."""

    run: Optional[str] = None
    """The run's name in the journal; absent if no journal is written."""

    settled_by: Optional[str] = None
    """Of several solvers asked at once, the one whose proof or witness decided."""

    tolerance_formula: Optional[str] = None
    """The origin of the tolerance."""

    where: Optional[str] = None
    """The value of --where."""

    interrupted: Optional[bool] = None
    """A signal ended the command early."""


@dataclass(frozen=True)
class CertifyCertificate:
    """Certificate describes a certificate that was written."""

    claim: str
    """The claim, as a sentence."""

    file: str
    """The file written."""

    leaves: int
    """The number of leaves."""

    seconds: float
    """Wall time of solving and writing, in seconds."""


@dataclass(frozen=True)
class CertifyLabels:
    """Labels are a witness's values, with category names in place of codes."""

    x1: Dict[str, str]
    """The values of x1 as text."""

    x2: Dict[str, str]
    """The values of x2 as text."""

    z1: Dict[str, str]
    """The values of z1 as text."""

    z2: Dict[str, str]
    """The values of z2 as text."""


@dataclass(frozen=True)
class CertifyMaxK:
    """MaxK encloses the largest number of bins that one individual's counterfactuals reach."""

    certified: bool
    """lo equals hi."""

    grade: str
    """The grade of the proof of hi."""

    hi: int
    """The number of bins, or bands, that no individual exceeds, by proof."""

    lo: int
    """The number of bins, or bands, that an exactly evaluated individual reaches."""

    tolerance: float
    """The tolerance of that proof, in logits from a bin's edge."""

    reason: Optional[str] = None
    """The reason why lo and hi differ."""


@dataclass(frozen=True)
class CertifyNext:
    """Next is a command that may decide more."""

    command: str
    """A command for a shell."""

    purpose: str
    """The purpose of the command."""


@dataclass(frozen=True)
class CertifySets:
    """Answers is the answer to a request with one question or, with --protected each or subsets or with --thresholds,
    several. In JSON the answer to a single question is written without the list."""

    model: str
    """The file name of the model."""

    questions: List[CertifyAnswer]
    """One answer for each set of attributes, class or threshold, smaller sets first. There are fewer after an
    interrupt or an error, or if the answer about one class settles the others."""

    seconds: float
    """Wall time of all questions, in seconds."""

    seed: int
    """The value of --seed."""

    study: str
    """The study's name."""

    gates: Optional[List[GateCheck]] = None
    """The outcome of each gate."""

    verdict: Optional[str] = None
    """For certify: unfair if any question's verdict is, fair if all are, else undecided."""

    interrupted: Optional[bool] = None
    """A signal ended the command early."""


@dataclass(frozen=True)
class CertifyWitness:
    """Witness holds two copies, X and Z each, that refute fairness."""

    features: List[str]
    """The names of all features, in the study's order."""

    gap_float32: Optional[float]
    """The score difference in single precision, as a deployment computes it; null on overflow."""

    labels: CertifyLabels
    """The same four, with category names."""

    logit1: float
    """The first copy's logit, exact and then rounded once."""

    logit2: float
    """The second copy's logit, exact and then rounded once."""

    score1: float
    """The first copy's score, exact and then rounded once."""

    score2: float
    """The second copy's score, exact and then rounded once."""

    x1: Dict[str, float]
    """The individual, as the first copy has it."""

    x2: Dict[str, float]
    """The individual, as the second copy has it: equal to x1, unless --relax permits a difference."""

    z1: Dict[str, float]
    """The protected values of the first copy, which has the higher logit."""

    z2: Dict[str, float]
    """The protected values of the second copy."""

    band1: Optional[str] = None
    """The band of the first copy, for a decision with bands."""

    band2: Optional[str] = None
    """The band of the second copy, likewise."""

    class1: Optional[int] = None
    """The class of the first copy, counted from 0, if the question is whether the class changes; absent for a tie."""

    class2: Optional[int] = None
    """The class of the second copy, likewise."""


@dataclass(frozen=True)
class DiffAnswer:
    """Result is the answer to a Request and the JSON object of hyfair diff."""

    individuals: QuantifyShares
    """Shares of all individuals, each combination of values once, or of a population. Unfair counts those that the two
    models treat differently, fair the others."""

    new: AuditOfModel
    """The new model."""

    notion: str
    """The notion that defines a change between the models and unfairness between copies of a person."""

    old: AuditOfModel
    """The old model."""

    protected: List[str]
    """The attributes that vary between copies of a person."""

    seconds: float
    """Wall time in seconds."""

    seed: int
    """The value of --seed."""

    change: Optional[AuditChange] = None
    """The changes for the people of the data set; absent without one."""

    epsilon: Optional[str] = None
    """The exact ε of the notion; absent for decisions."""

    gates: Optional[List[GateCheck]] = None
    """The outcome of each gate."""

    interrupted: Optional[bool] = None
    """A signal ended the command early."""

    left: Optional[int] = None
    """The number of rows that were not audited with both models."""

    no_rows: Optional[str] = None
    """The reason why change is absent."""

    number: Optional[bool] = None
    """The models predict numbers: a change is a change of the prediction."""

    population_fit: Optional[PopulationFit] = None
    """The fit of the population to rows held back; absent with the uniform population."""

    solver: Optional[str] = None
    """The solver that proved the shares; absent if none did."""

    unproved: Optional[str] = None
    """The reason why no solver was asked."""

    where: Optional[str] = None
    """The value of --where."""


@dataclass(frozen=True)
class ExplainAnswer:
    """Result is the answer to a Request and the JSON object of hyfair explain."""

    alpha: float
    """The price of a leaf at which the tree was pruned."""

    confidence: float
    """The confidence of all intervals."""

    delta: float
    """The least difference of means that a predicate had to reach; 0 without a sample."""

    epsilon: str
    """ε, exact, a difference of scores."""

    individuals: List[ExplainIndividual]
    """The individuals around which neighbours are drawn."""

    init_k: int
    """The largest k of these individuals; 0 if there are none."""

    lime: Optional[ExplainLIME]
    """The LIME explanation of the first individual; null without --lime."""

    model: str
    """The file name of the model."""

    predicates: List[ExplainPredicate]
    """The predicates kept, first the one that covers most neighbours with a high k."""

    protected: List[str]
    """The attributes that vary."""

    rejected: List[ExplainPredicate]
    """The candidates that were rejected."""

    seconds: float
    """Wall time in seconds."""

    seed: int
    """The value of --seed."""

    source: Optional[ExplainSource]
    """The origin of the individuals."""

    study: str
    """The study's name."""

    tree: Optional[ExplainTreeJSON]
    """The tree's root; null without a sample."""

    ceiling: Optional[ExplainProved] = None
    """Bounds proved for all individuals outside all predicates, with --bound."""

    decision: Optional[QuestionDecision] = None
    """The rule of a positive decision; absent for a score above ½ that is favourable."""

    input_check: Optional[StudyInputCheck] = None
    """The check of the study's inputs."""

    interrupted: Optional[bool] = None
    """A signal came before all bounds were proved."""

    nothing: Optional[str] = None
    """The reason why no predicate was kept."""

    notion: Optional[str] = None
    """"decision" with --notion decision: k counts decisions, and epsilon is 0.5; "score" with --notion score against
    the study's bands."""

    observed: Optional[ScorerSpent] = None
    """The answers of a model plugin that the result rests on, and what they cost: it is observed, and nothing is
    proved about the model. Absent for a model that was read."""

    population: Optional[str] = None
    """The people of predicates[].plausible; absent with the uniform population."""

    prover: Optional[ExplainProver] = None
    """The solver that proved floors and ceiling."""

    sample: Optional[ExplainSample] = None
    """The neighbours; absent without an individual."""

    where: Optional[str] = None
    """The value of --where."""


@dataclass(frozen=True)
class ExplainCoverage:
    """Coverage is the part of a region where a predicate holds."""

    share: float
    """The share of the region's individuals, or of its volume if features are real."""

    count: Optional[str] = None
    """The number of individuals, an exact whole number of any length; absent if a feature is real."""

    unconstrained: Optional[bool] = None
    """The constraints have too many cases to count, so that forbidden points are counted too."""


@dataclass(frozen=True)
class ExplainIndividual:
    """Individual is an individual that neighbours were drawn around."""

    gap: float
    """The individual's score gap."""

    k: int
    """The individual's k."""

    labels: Dict[str, str]
    """The values as text."""

    x: Dict[str, float]
    """The values by feature."""


@dataclass(frozen=True)
class ExplainLIME:
    """LIME is LIME's explanation of the worst-treated individual."""

    explanations: int
    """The number of explained counterfactuals."""

    intersection: ExplainLIMESet
    """The features among the strongest three of every explanation."""

    k: int
    """The individual's k."""

    r2: float
    """The mean R² of the explanations."""

    samples: int
    """The number of samples of each explanation."""

    seconds: float
    """Wall time in seconds."""

    union: ExplainLIMESet
    """The features among the strongest three of any explanation."""


@dataclass(frozen=True)
class ExplainLIMEFeature:
    """LIMEFeature is one feature of a LIMESet."""

    explanations: int
    """The number of explanations that have it among their strongest three."""

    k: Optional[float]
    """The mean k over the feature's other values; null for a protected feature, and without another value."""

    name: str
    """The feature."""

    protected: bool
    """The feature is protected."""


@dataclass(frozen=True)
class ExplainLIMESet:
    """LIMESet is a set of features with the paper's measures of an explanation."""

    diff: Optional[float]
    """The individual's k less pert_k; null if pert_k is."""

    features: List[ExplainLIMEFeature]
    """The features in the study's order."""

    pert_k: Optional[float]
    """The mean of the features' k; null if no feature has one."""

    pert_k_sd: Optional[float]
    """The standard deviation of k over the features; null if fewer than two have one."""

    size: int
    """The number of features, protected ones included."""


@dataclass(frozen=True)
class ExplainLimit:
    """Limit is a proved bound and the nearest value found."""

    certified: bool
    """The proved and the found value are equal."""

    found: Optional[float]
    """The value of the individual nearest to the bound; null without one."""

    grade: str
    """The grade of the proof."""

    proved: float
    """The proved bound: a floor, or the ceiling outside all predicates."""

    seconds: float
    """Wall time in seconds."""

    reason: Optional[str] = None
    """The reason why the two values differ."""


@dataclass(frozen=True)
class ExplainMean:
    """Mean is a mean of sampled k with its interval."""

    high: float
    """The upper end of the interval of the mean."""

    low: float
    """The lower end of the interval of the mean."""

    mean: float
    """The mean of k."""

    n: int
    """The number of samples."""

    sd: float
    """The standard deviation (n − 1)."""


@dataclass(frozen=True)
class ExplainPlausible:
    """Plausible is a share among people drawn from a population, of those that constraints allow."""

    hi: float
    """The upper end of the interval."""

    lo: float
    """The lower end of the 95 % Clopper-Pearson interval of the population's share."""

    n: int
    """The number of people drawn."""

    share: float
    """The share of the people drawn."""


@dataclass(frozen=True)
class ExplainPredicate:
    """Predicate is a path of the tree, simplified and tested."""

    conditions: List[GuardCondition]
    """The predicate in the form of a rules file."""

    coverage: ExplainCoverage
    """The part of the space that the predicate covers."""

    diff: float
    """The mean inside less the mean outside."""

    k_in: ExplainMean
    """k of fresh neighbours for which the predicate holds (K in tables)."""

    k_out: ExplainMean
    """k of fresh neighbours for which it does not hold (Pert.K in tables)."""

    purity: float
    """The share of neighbours with a high k among those for which the predicate holds."""

    recall: float
    """The share of all neighbours with a high k that the predicate covers."""

    size: int
    """The number of conjuncts. A range with two ends counts as two."""

    support: Optional[ExplainSupport]
    """The rows of the study's data for which the predicate holds; null without data."""

    text: str
    """The predicate as text, such as "hours-per-week >= 40 and marital-status != Married-civ-spouse"."""

    floor: Optional[ExplainProved] = None
    """Bounds proved for all individuals inside the predicate, with --bound."""

    plausible: Optional[ExplainPlausible] = None
    """The share of the population's people in the region for whom the predicate holds; absent without a population,
    and without people in the region."""

    rejected: Optional[str] = None
    """The reason why the predicate was rejected."""


@dataclass(frozen=True)
class ExplainProved:
    """Proved is a solver's bound over the individuals of a part of the region: a floor inside a predicate, or a
    ceiling outside all predicates."""

    gap: Optional[ExplainLimit]
    """The bound of the gap; null if there was no time to ask, and for a floor if an individual has k = 1, because its
    scores lie in one bin. Individuals with one counterfactual count only for k."""

    k: Optional[ExplainLimit]
    """The bound of k; null if there was no time to ask."""

    nobody: Optional[bool] = None
    """It is proved that the part contains no individual."""


@dataclass(frozen=True)
class ExplainProver:
    """Prover describes the solver that proved floors and ceiling."""

    seconds: float
    """Wall time of all its questions, in seconds."""

    solver: str
    """The solver."""

    error: Optional[str] = None
    """The reason why the solver stopped early."""


@dataclass(frozen=True)
class ExplainSample:
    """Sample describes the neighbours that a tree is grown from."""

    around: int
    """The number of individuals around which they were drawn."""

    high: int
    """The number of neighbours with a high k."""

    k_least: int
    """The least k."""

    k_mean: float
    """The mean of k."""

    k_most: int
    """The largest k."""

    n: int
    """The number of neighbours."""

    threshold: int
    """The least k that counts as high."""


@dataclass(frozen=True)
class ExplainSource:
    """Source says where the explained individuals come from."""

    kind: str
    """The origin: search, journal or rows."""

    budget: Optional[str] = None
    """The budget of the search."""

    evaluations: Optional[int] = None
    """The individuals evaluated by a fresh search."""

    rows: Optional[int] = None
    """The number of rows evaluated: those given, or the data's if the search found no individual."""

    run: Optional[str] = None
    """The search's name in the journal."""

    strategy: Optional[str] = None
    """The strategy of the search."""


@dataclass(frozen=True)
class ExplainSupport:
    """Support counts a predicate's rows in real data. Only rows that are individuals of the space count."""

    k_in: Optional[float]
    """The mean k of these rows; null without any."""

    k_out: Optional[float]
    """The mean k of the other rows; null without any."""

    of: int
    """The number of rows in the space."""

    rows: int
    """The number of rows for which the predicate holds."""

    share: float
    """rows divided by of; 0 without rows."""


@dataclass(frozen=True)
class ExplainTreeJSON:
    """TreeJSON is a tree as --json and --tree FILE.json show it."""

    high: int
    """The number of neighbours with a high k."""

    is_high: bool
    """The share exceeds that of all neighbours."""

    samples: int
    """The number of neighbours in the node."""

    share: float
    """high divided by samples."""

    condition: Optional[GuardCondition] = None
    """The test in the form of a rules file; absent in a leaf."""

    no: Optional[ExplainTreeJSON] = None
    """The subtree in which it does not hold; absent in a leaf."""

    test: Optional[str] = None
    """The condition under which samples go to yes, else to no; absent in a leaf."""

    yes: Optional[ExplainTreeJSON] = None
    """The subtree in which the test holds; absent in a leaf."""


@dataclass(frozen=True)
class GateCheck:
    """Check is the outcome of a gate for one part of a result."""

    bound: str
    """The bound as given."""

    gate: str
    """The gate's flag, or inputs."""

    outcome: str
    """The outcome: passed, failed, undecided or not checked."""

    text: str
    """The finding, in words."""

    of: Optional[str] = None
    """The part that was checked, one of several: protected attributes, the network of a file, or an arm."""


@dataclass(frozen=True)
class GuardCondition:
    """Condition restricts one feature. A categorical feature has In and nothing else; a number at least one of the
    bounds, at most one at each end, or Missing."""

    feature: str
    """The feature."""

    above: Optional[float] = None
    """The value is above this."""

    below: Optional[float] = None
    """The value is below this."""

    in_: Optional[List[str]] = field(default=None, metadata={"json": "in"})
    """The value is one of these categories."""

    least: Optional[float] = None
    """The value is at least this."""

    missing: Optional[bool] = None
    """The value may be missing: with a lower bound, it may be missing as well; alone, it must be missing."""

    most: Optional[float] = None
    """The value is at most this."""


@dataclass(frozen=True)
class InspectAnswer:
    """Result is the answer to a Request and the JSON object of hyfair inspect. Fields that only a study has are absent
    for a network."""

    format: str
    """The format of the model's file, such as keras-h5 (docs/reference/formats.md)."""

    head: str
    """The head: sigmoid, softmax or linear."""

    inputs: int
    """The number of the model's inputs."""

    layers: Optional[List[ModelfileLayerSummary]]
    """The dense layers, the one nearest to the inputs first; null for a model that is not a network."""

    model: str
    """The file name of the model."""

    model_path: str
    """The model's path."""

    neurons: int
    """The number of ReLU neurons."""

    parameters: int
    """The number of weights and biases."""

    precision: int
    """The width of the stored weights in bits, 32 or 64; 0 for other models."""

    seconds: float
    """Wall time in seconds."""

    seed: int
    """The value of --seed."""

    K: Optional[int] = None
    """The largest number of counterfactuals of an individual."""

    K_exact: Optional[bool] = None
    """K is exact; if false, K is an upper bound."""

    accuracy: Optional[float] = None
    """The accuracy over all rows, in per cent; absent without labels."""

    accuracy_test: Optional[float] = None
    """The accuracy over the rows held back, in per cent."""

    auc: Optional[float] = None
    """The area under the ROC curve over all rows; absent if all labels are equal."""

    clustering: Optional[str] = None
    """The study's clustering."""

    decision: Optional[QuestionDecision] = None
    """The rule of a positive decision; absent for a score above ½ that is favourable."""

    epsilon: Optional[str] = None
    """The study's ε, exact."""

    extrapolated: Optional[List[str]] = None
    """The features whose protected values leave the domain."""

    family: Optional[str] = None
    """The family of a model that is not a network of ReLU layers."""

    features: Optional[List[InspectFeature]] = None
    """The features in the order of the model's inputs."""

    input_check: Optional[StudyInputCheck] = None
    """The check of the study's inputs."""

    input_names: Optional[List[str]] = None
    """The names of the inputs in the file, such as "work=private" for a category's input. Only for ONNX files with
    several inputs or with categories, and for trees whose file names them."""

    majority: Optional[float] = None
    """The share of the more frequent label in per cent: the accuracy of a constant prediction."""

    notion: Optional[str] = None
    """The study's notion; share instead of score if the model's output is a share."""

    observed: Optional[ScorerSpent] = None
    """The answers of a model plugin that the result rests on, and what they cost: it is observed, and nothing is
    proved about the model. Absent for a model that was read."""

    outside: Optional[Dict[str, int]] = None
    """For each feature, the number of rows outside its domain."""

    producer: Optional[str] = None
    """The program that wrote the model's file, if the file says so."""

    protected: Optional[Dict[str, List[float]]] = None
    """The values that the copies take, by protected feature."""

    rows: Optional[int] = None
    """The number of rows kept; absent without data, as are all fields about rows."""

    rows_dropped: Optional[int] = None
    """The number of rows left out for missing values."""

    rows_forbidden: Optional[int] = None
    """The number of rows inside all domains that a rule forbids."""

    rows_outside: Optional[int] = None
    """The number of rows outside a feature's domain."""

    rows_test: Optional[int] = None
    """The number of rows held back."""

    rules: Optional[List[InspectRule]] = None
    """The constraints."""

    size: Optional[str] = None
    """The size of such a model in words, such as "12 trees of depth 6 at most, 588 leaves"."""

    study: Optional[str] = None
    """The study's name; absent for a model alone, like all fields that only a study has."""

    summary: Optional[str] = None
    """The study's summary."""

    where: Optional[str] = None
    """The predicate of the people that the study is about; absent for all."""

    interrupted: Optional[bool] = None
    """A signal ended the command early."""


@dataclass(frozen=True)
class InspectFeature:
    """Feature is a feature of a study."""

    hi: float
    """The largest value of the domain; for categories the largest index."""

    inputs: List[int]
    """The model's inputs that the feature feeds, from 0."""

    kind: str
    """The kind: integer, categorical or real."""

    lo: float
    """The least value of the domain; for categories the least index."""

    name: str
    """The feature's name."""

    categories: Optional[List[str]] = None
    """The names of categories by index."""

    missing: Optional[bool] = None
    """The value hi stands for a missing value."""


@dataclass(frozen=True)
class InspectRule:
    """Rule is a constraint of a study."""

    forbid: List[str]
    """The predicates that it forbids."""

    name: str
    """The constraint's name."""

    on: bool
    """The constraint applies."""


@dataclass(frozen=True)
class InspectScores:
    """Result is the answer to a Request, and the JSON object of hyfair inspect --scores."""

    format: str
    """The format of the model's file, such as keras-h5 (docs/reference/formats.md)."""

    head: str
    """The head: sigmoid, softmax or linear."""

    inputs: int
    """The number of the model's inputs."""

    layers: Optional[List[ModelfileLayerSummary]]
    """The dense layers, the one nearest to the inputs first; null for a model that is not a network."""

    model: str
    """The file name of the model."""

    model_path: str
    """The model's path."""

    neurons: int
    """The number of ReLU neurons."""

    parameters: int
    """The number of weights and biases."""

    precision: int
    """The width of the stored weights in bits, 32 or 64; 0 for other models."""

    scores: ReconcileScores
    """The model's scores compared with those of a file; absent without --scores."""

    seconds: float
    """Wall time in seconds."""

    seed: int
    """The value of --seed."""

    K: Optional[int] = None
    """The largest number of counterfactuals of an individual."""

    K_exact: Optional[bool] = None
    """K is exact; if false, K is an upper bound."""

    accuracy: Optional[float] = None
    """The accuracy over all rows, in per cent; absent without labels."""

    accuracy_test: Optional[float] = None
    """The accuracy over the rows held back, in per cent."""

    auc: Optional[float] = None
    """The area under the ROC curve over all rows; absent if all labels are equal."""

    clustering: Optional[str] = None
    """The study's clustering."""

    decision: Optional[QuestionDecision] = None
    """The rule of a positive decision; absent for a score above ½ that is favourable."""

    epsilon: Optional[str] = None
    """The study's ε, exact."""

    extrapolated: Optional[List[str]] = None
    """The features whose protected values leave the domain."""

    family: Optional[str] = None
    """The family of a model that is not a network of ReLU layers."""

    features: Optional[List[InspectFeature]] = None
    """The features in the order of the model's inputs."""

    input_check: Optional[StudyInputCheck] = None
    """The check of the study's inputs."""

    input_names: Optional[List[str]] = None
    """The names of the inputs in the file, such as "work=private" for a category's input. Only for ONNX files with
    several inputs or with categories, and for trees whose file names them."""

    majority: Optional[float] = None
    """The share of the more frequent label in per cent: the accuracy of a constant prediction."""

    notion: Optional[str] = None
    """The study's notion; share instead of score if the model's output is a share."""

    observed: Optional[ScorerSpent] = None
    """The answers of a model plugin that the result rests on, and what they cost: it is observed, and nothing is
    proved about the model. Absent for a model that was read."""

    outside: Optional[Dict[str, int]] = None
    """For each feature, the number of rows outside its domain."""

    producer: Optional[str] = None
    """The program that wrote the model's file, if the file says so."""

    protected: Optional[Dict[str, List[float]]] = None
    """The values that the copies take, by protected feature."""

    rows: Optional[int] = None
    """The number of rows kept; absent without data, as are all fields about rows."""

    rows_dropped: Optional[int] = None
    """The number of rows left out for missing values."""

    rows_forbidden: Optional[int] = None
    """The number of rows inside all domains that a rule forbids."""

    rows_outside: Optional[int] = None
    """The number of rows outside a feature's domain."""

    rows_test: Optional[int] = None
    """The number of rows held back."""

    rules: Optional[List[InspectRule]] = None
    """The constraints."""

    size: Optional[str] = None
    """The size of such a model in words, such as "12 trees of depth 6 at most, 588 leaves"."""

    study: Optional[str] = None
    """The study's name; absent for a model alone, like all fields that only a study has."""

    summary: Optional[str] = None
    """The study's summary."""

    where: Optional[str] = None
    """The predicate of the people that the study is about; absent for all."""

    interrupted: Optional[bool] = None
    """A signal ended the command early."""


@dataclass(frozen=True)
class MitigateAnswer:
    """Result is the answer to a Request and the JSON object of hyfair mitigate."""

    arms: List[MitigateArmResult]
    """The arms in the order of the table."""

    budget: str
    """The budget of every search."""

    epsilon: str
    """ε, exact; empty if unfair treatment means that copies are in different bands."""

    label: str
    """The label of an added individual's copies: majority or mean."""

    mode: str
    """The mode of every search: paper or fast."""

    model: str
    """The file name of the original model."""

    remarks: List[str]
    """Remarks on the arms, as sentences."""

    searches: int
    """The number of searches of each arm."""

    seconds: float
    """Wall time in seconds."""

    seed: int
    """The seed of the first search and of all training."""

    strategy: str
    """The strategy of every search."""

    study: str
    """The study's name."""

    decision: Optional[QuestionDecision] = None
    """The rule of a positive decision; absent for a score above ½ that is favourable."""

    gates: Optional[List[GateCheck]] = None
    """The outcome of each gate."""

    input_check: Optional[StudyInputCheck] = None
    """The check of the study's inputs."""

    interrupted: Optional[bool] = None
    """A signal ended the command early."""

    journal: Optional[str] = None
    """The journal's file; absent if nothing is kept."""

    observed: Optional[ScorerSpent] = None
    """The answers of a model plugin that the result rests on, and what they cost: it is observed, and nothing is
    proved about the model. Absent for a model that was read."""


@dataclass(frozen=True)
class MitigateArmResult:
    """ArmResult is one arm. Without Skipped, all measures that apply are set."""

    id: Optional[float] = field(metadata={"json": "#ID"})
    """The number of distinct individuals with a gap above ε."""

    id_maxk: Optional[float] = field(metadata={"json": "#ID.maxK"})
    """The number of individuals whose k is Max.K."""

    k_1st: Optional[float] = field(metadata={"json": "#K.1st"})
    """The k of the first."""

    avg_k: Optional[float] = field(metadata={"json": "Avg.K"})
    """The mean k among them."""

    Iter: Optional[float]
    """The number of closed rounds. Over several runs all measures are means; null: no individual was found."""

    max_k: Optional[float] = field(metadata={"json": "Max.K"})
    """The largest k among them."""

    succ_rate: Optional[float] = field(metadata={"json": "Succ.rate"})
    """#ID divided by Iter, in per cent; null without a closed round."""

    t_1st: Optional[float] = field(metadata={"json": "T.1st"})
    """Seconds from the start of the clock to the first of them."""

    t_maxk: Optional[float] = field(metadata={"json": "T.maxK"})
    """Seconds to the first of those."""

    evaluations: int
    """The number of individuals evaluated, in all its searches."""

    name: str
    """The arm, such as "retrained+guards"."""

    quality: Optional[MitigateQuality]
    """Quality on the rows that the study holds back, or on the training rows if it holds none back; null if the arm
    was skipped."""

    search_refused: int
    """The number of the search's moves that guardrails refused."""

    files: Optional[List[str]] = None
    """The files that --out wrote."""

    guardrails: Optional[List[str]] = None
    """The rules in words."""

    left_out: Optional[int] = None
    """The number of rules left out by --refuse-at-most."""

    proved: Optional[MitigateProved] = None
    """The share of unfairly treated people among all whom the arm answers, with --prove."""

    runs: Optional[List[str]] = None
    """The names of its searches in the journal."""

    sd: Optional[SearchMeasures] = None
    """The standard deviations of the measures, over several searches."""

    skipped: Optional[str] = None
    """The reason why the arm was skipped; its measures are then null."""

    too_few_rounds: Optional[bool] = None
    """The search found no individual, in too few rounds compared with the original's for that to be evidence."""

    training: Optional[MitigateTraining] = None
    """The training of the arm's network; absent for the original."""


@dataclass(frozen=True)
class MitigateGroups:
    """Groups compares the groups given by the values of one protected attribute."""

    attribute: str
    """The protected attribute."""

    demographic_parity_difference: Optional[float]
    """The largest less the smallest share of positive decisions among groups of at least 10 rows; null with fewer than
    two such groups."""

    equal_opportunity_difference: Optional[float]
    """The same over the rows with the label 1; of negative decisions and the label 0 where the negative decision is
    favourable."""


@dataclass(frozen=True)
class MitigateProved:
    """Proved bounds the share of all individuals that an arm answers and treats unfairly."""

    hi: float
    """The proved upper end of that share."""

    lo: float
    """The proved lower end of the share of individuals with a gap above ε."""

    seconds: float
    """Wall time in seconds."""

    exact: Optional[List[str]] = None
    """lo and hi as fractions; absent if no individual is answered."""

    grade: Optional[str] = None
    """The grade of the proof; absent if nothing is proved."""

    population: Optional[str] = None
    """The people that the share is of; absent if each combination of values counts once."""

    reason: Optional[str] = None
    """The reason why lo and hi differ."""


@dataclass(frozen=True)
class MitigateQuality:
    """Quality is a subject's performance on rows with known outcome. Shares are 0 to 1; nil for a share of no rows."""

    accuracy: Optional[float]
    """The share of right answers among all rows; a refusal counts as wrong."""

    accuracy_answered: Optional[float]
    """The share of right answers among the answered rows."""

    answered: int
    """The number of rows that are not refused."""

    demographic_parity_difference: Optional[float]
    """The largest demographic parity difference of all attributes."""

    equal_opportunity_difference: Optional[float]
    """The largest equal opportunity difference of all attributes."""

    f1: Optional[float]
    """The F1 score of the label 1, over the answered rows: 2·TP / (2·TP + FP + FN); null if that denominator is 0."""

    groups: List[MitigateGroups]
    """The differences by attribute."""

    refused: Optional[float]
    """The share of the rows that guardrails refuse."""

    rows: int
    """The number of rows."""

    unfair: Optional[float]
    """The share of the answered rows in the searched region with a gap above ε; all are evaluated."""


@dataclass(frozen=True)
class MitigateTraining:
    """Training describes the training of an arm's network."""

    best_epoch: int
    """The epoch whose network was kept."""

    epochs: int
    """The number of epochs trained."""

    held_loss: Optional[float]
    """The mean cross-entropy on the rows that chose the epoch; null without such rows."""

    held_rows: int
    """The number of rows that chose the epoch."""

    loss: float
    """The mean cross-entropy on the training rows."""

    rows: int
    """The number of rows trained on, added copies included."""

    rounds: Optional[int] = None
    """The number of rounds of the arm iterated."""


@dataclass(frozen=True)
class ModelfileLayerSummary:
    """LayerSummary describes one dense layer."""

    activation: str
    """The activation: relu or linear; for the last layer the head."""

    inputs: int
    """The number of the layer's inputs."""

    name: str
    """The layer's name."""

    parameters: int
    """The number of the layer's weights and biases."""

    units: int
    """The number of the layer's units."""


@dataclass(frozen=True)
class PartitionReport:
    """Report is the outcome of a Run, or its state while it runs."""

    by: Dict[str, int]
    """The number of decided parts, by method: bounds, sampling, solver or enumeration."""

    fair: int
    """The number of parts proved fair."""

    resumed: int
    """The number of parts whose result was taken from the interrupted run."""

    total: int
    """The number of parts."""

    undecided: int
    """The number of undecided parts, including those not yet examined."""

    unfair: int
    """The number of parts with a witness."""


@dataclass(frozen=True)
class PopulationFit:
    """Fit measures how well a population fits rows that were held back."""

    held: int
    """The number of rows held back."""

    independent_log_likelihood: float
    """Their mean log-likelihood if the features are independent."""

    log_likelihood: float
    """The mean log-likelihood of the rows held back, in nats per row."""

    rows: int
    """The number of rows that the population was fitted to."""

    uniform_log_likelihood: float
    """Their mean log-likelihood if all combinations of values are equally likely."""

    impossible: Optional[int] = None
    """The number of rows held back that have probability 0; the log-likelihoods leave them out."""


@dataclass(frozen=True)
class QuantifyAnswer:
    """Result is the answer to one question and the JSON object of hyfair quantify; docs/reference/schema describes its
    fields."""

    boxes: int
    """The number of boxes that the solver examined."""

    complete: bool
    """The solver finished."""

    exact: Optional[QuantifyFractions]
    """The three shares as fractions; null without individuals."""

    fair: Optional[float]
    """The share proved fair. The three shares add up to exactly 1 in float64; null without individuals."""

    interval: Optional[QuantifyInterval]
    """The interval of the share of discriminated individuals, from the proved unfair share to 1 less the proved fair
    one; null without individuals."""

    met: int
    """The number of different individuals that were evaluated exactly and are discriminated against."""

    model: str
    """The file name of the model."""

    notion: str
    """The notion: score, logit, decision, decision-strict, or share for a model whose output is a share."""

    protected: List[str]
    """The attributes that vary."""

    seconds: float
    """Wall time in seconds, loading included."""

    seed: int
    """The value of --seed."""

    solver: AskedSolver
    """The solver that answered; its name is convolution if none was asked."""

    study: str
    """The study's name."""

    undecided: Optional[float]
    """The rest; null without individuals."""

    unfair: Optional[float]
    """The share proved unfair; null without individuals."""

    asked_k: Optional[int] = None
    """The value of --k."""

    decision: Optional[QuestionDecision] = None
    """The rule of a positive decision; absent for a score above ½ that is favourable."""

    disagreements: Optional[List[str]] = None
    """The faults, which are claims that evaluated individuals, or other claims, refute. They end the command with exit
    code 4."""

    discriminated: Optional[QuantifyBounds] = None
    """The number of discriminated individuals, bounded by the proved shares, by met and, if it is all individuals, by
    the sample."""

    epsilon: Optional[str] = None
    """ε, exact; absent for the decision notions."""

    faults: Optional[List[str]] = None
    """Mistakes in the solver's answers. With any, nothing counts as proved."""

    gates: Optional[List[GateCheck]] = None
    """The outcome of each gate."""

    grade: Optional[str] = None
    """The grade of the proof: exact, rigorous or numerical; absent if nothing is proved."""

    individuals: Optional[str] = None
    """The number of individuals in decimal digits; absent if it is unknown or a feature is real."""

    input_check: Optional[StudyInputCheck] = None
    """The check of the study's inputs."""

    journal: Optional[str] = None
    """The journal's file; absent if nothing is kept."""

    map: Optional[QuantifyWritten] = None
    """The map written by --map."""

    near: Optional[str] = None
    """The largest Gower distance from a row of the data, with --near."""

    near_rows: Optional[int] = None
    """With --near: the number of different rows of the data, --where or not; rows with a value outside its domain are
    left out."""

    no_rows: Optional[str] = None
    """The reason why rows is absent."""

    observed: Optional[ScorerSpent] = None
    """The answers of a model plugin that the result rests on, and what they cost: it is observed, and nothing is
    proved about the model. Absent for a model that was read."""

    parts: Optional[QuantifyCounts] = None
    """The parts, with --partition."""

    population: Optional[str] = None
    """The people that the shares are of; absent if each combination of values counts once."""

    population_fit: Optional[PopulationFit] = None
    """How well the population fits rows held back; absent with the uniform population."""

    proved_by: Optional[str] = None
    """The method of the proof: convolution of a linear model's contributions, without a solver; absent with boxes."""

    reason: Optional[str] = None
    """The reason why something is undecided."""

    rows: Optional[QuantifyRowsShare] = None
    """The data set's rows, evaluated exactly; absent without data, or if that took too long."""

    run: Optional[str] = None
    """The run's name in the journal; absent if nothing is kept."""

    sampled: Optional[QuantifySampledShare] = None
    """The sample, drawn uniformly or from the population; absent with --samples 0 and without individuals."""

    threshold: Optional[str] = None
    """With --thresholds: the score that a positive decision exceeds."""

    where: Optional[str] = None
    """The value of --where."""

    interrupted: Optional[bool] = None
    """A signal ended the command early."""


@dataclass(frozen=True)
class QuantifyBounds:
    """Bounds enclose a number of individuals."""

    at_least: str
    """The least number, in decimal digits."""

    at_most: str
    """The largest number, in decimal digits."""


@dataclass(frozen=True)
class QuantifyCounts:
    """Counts are the numbers of parts of a question, by outcome."""

    complete: int
    """The number of parts without an undecided share."""

    resumed: int
    """The number of those that an earlier run had completed."""

    total: int
    """The number of parts."""


@dataclass(frozen=True)
class QuantifyFractions:
    """Fractions has the shares as fractions."""

    fair: str
    """The proved fair share, such as "647663/799500"."""

    undecided: str
    """The undecided share."""

    unfair: str
    """The proved unfair share."""


@dataclass(frozen=True)
class QuantifyGroups:
    """Rates are proved rates of groups: the JSON object of hyfair quantify --groups."""

    attributes: List[QuantifyRatedAttribute]
    """The groups of each protected attribute and, if there are several, of all of them together."""

    favourable: str
    """The decision whose rates are compared: positive, or negative if a positive one is bad for people."""

    model: str
    """The file name of the model."""

    notion: str
    """The notion: score, logit, decision, decision-strict, or share for a model whose output is a share."""

    seconds: float
    """Wall time in seconds, loading included."""

    seed: int
    """The value of --seed."""

    study: str
    """The study's name."""

    decision: Optional[QuestionDecision] = None
    """The rule of a positive decision; absent for a score above ½ that is favourable."""

    disagreements: Optional[List[str]] = None
    """Claims of the solver that evaluated individuals refute. They end the command with exit code 4."""

    epsilon: Optional[str] = None
    """ε, exact; absent for the decision notions."""

    gates: Optional[List[GateCheck]] = None
    """The outcome of each gate."""

    input_check: Optional[StudyInputCheck] = None
    """The check of the study's inputs."""

    interrupted: Optional[bool] = None
    """A signal ended the command early."""

    journal: Optional[str] = None
    """The journal's file; absent if nothing is kept."""

    min_share: Optional[float] = None
    """The least share of the population that a judged group has; absent if each combination of values counts once."""

    no_intersections: Optional[str] = None
    """Why several attributes have no groups of all of them together."""

    no_rows: Optional[str] = None
    """Why there are no rates of the people in the data."""

    observed: Optional[ScorerSpent] = None
    """The answers of a model plugin that the result rests on, and what they cost: it is observed, and nothing is
    proved about the model. Absent for a model that was read."""

    population: Optional[str] = None
    """The population of each group; absent if each combination of values counts once."""

    population_fit: Optional[PopulationFit] = None
    """How well the population fits rows held back; absent with the uniform population."""

    solver: Optional[str] = None
    """The solver that proved rates; absent if none was asked, as for linear models."""

    where: Optional[str] = None
    """The value of --where."""


@dataclass(frozen=True)
class QuantifyInterval:
    """Interval encloses a share, or a number computed from shares."""

    hi: float
    """The upper end."""

    lo: float
    """The lower end."""


@dataclass(frozen=True)
class QuantifyRatedAttribute:
    """RatedAttribute has the rates of the groups of one attribute, or of several together."""

    groups: List[QuantifyRatedGroup]
    """The groups by value, without people whose value is missing."""

    name: str
    """The attribute, or several as in "sex × age"."""

    difference: Optional[QuantifyInterval] = None
    """The interval of the largest difference between two rates; absent if fewer than two groups have people."""

    impact_ratio: Optional[QuantifyInterval] = None
    """The interval of the least impact ratio; absent if that ratio is or may be undefined."""


@dataclass(frozen=True)
class QuantifyRatedGroup:
    """RatedGroup has the rate of one group."""

    judged: bool
    """The group has at least min_share of the population, so that its rate is proved."""

    label: str
    """The group's value, or values, as text."""

    people: QuantifyShares
    """The shares of the group that the rate is computed from: unfair counts positive decisions, fair negative ones."""

    rate: Optional[QuantifyInterval]
    """The interval of the rate of the favourable decision; null without people, and unless judged."""

    difference: Optional[QuantifyInterval] = None
    """The interval of the highest rate less this one; absent without people."""

    impact_ratio: Optional[QuantifyInterval] = None
    """The interval of the rate over the highest rate of a group; absent if no rate above 0 is proved."""

    run: Optional[str] = None
    """The run's name in the journal; absent if nothing is kept, without people, and unless judged."""

    share: Optional[float] = None
    """The group's share of the population, before constraints; absent if each combination of values counts once."""


@dataclass(frozen=True)
class QuantifyRowsShare:
    """RowsShare is the share among the rows of the data set."""

    n: int
    """The number of rows evaluated."""

    outside: int
    """The number of rows that are not individuals of the region; n leaves them out."""

    share: float
    """The share of discriminated rows."""

    unfair: int
    """The number of discriminated rows."""


@dataclass(frozen=True)
class QuantifySampledShare:
    """SampledShare is the share among the individuals that were drawn."""

    all: bool
    """The sample is all individuals, and lo and hi are the share itself."""

    confidence: float
    """The confidence of the interval: 0.95, or 1 for enumeration."""

    hi: float
    """The upper end of the interval."""

    lo: float
    """The lower end of the interval."""

    method: str
    """The method of the interval: clopper-pearson, or enumeration."""

    n: int
    """The number of individuals drawn. Fewer than asked for if few points of the space are individuals, or if
    evaluation took too long."""

    share: float
    """The share of discriminated individuals in the sample."""

    examples: Optional[List[Dict[str, float]]] = None
    """With --population, at most 64 of the discriminated individuals in the sample: their values by feature."""


@dataclass(frozen=True)
class QuantifySets:
    """Answers is the answer to a request with one question or, with --protected each or subsets or with --thresholds,
    several. In JSON the answer to a single question is written without the list."""

    model: str
    """The file name of the model."""

    questions: List[QuantifyAnswer]
    """One answer for each set of attributes, class or threshold, smaller sets first. There are fewer after an
    interrupt or an error, or if the answer about one class settles the others."""

    seconds: float
    """Wall time of all questions, in seconds."""

    seed: int
    """The value of --seed."""

    study: str
    """The study's name."""

    gates: Optional[List[GateCheck]] = None
    """The outcome of each gate."""

    verdict: Optional[str] = None
    """For certify: unfair if any question's verdict is, fair if all are, else undecided."""

    interrupted: Optional[bool] = None
    """A signal ended the command early."""


@dataclass(frozen=True)
class QuantifyShares:
    """Shares says how many individuals are discriminated against, as results and reports on runs show it."""

    boxes: int
    """The number of boxes that the solver examined."""

    complete: bool
    """The solver finished."""

    exact: Optional[QuantifyFractions]
    """The three shares as fractions; null without individuals."""

    fair: Optional[float]
    """The share proved fair. The three shares add up to exactly 1 in float64; null without individuals."""

    interval: Optional[QuantifyInterval]
    """The interval of the share of discriminated individuals, from the proved unfair share to 1 less the proved fair
    one; null without individuals."""

    met: int
    """The number of different individuals that were evaluated exactly and are discriminated against."""

    undecided: Optional[float]
    """The rest; null without individuals."""

    unfair: Optional[float]
    """The share proved unfair; null without individuals."""

    discriminated: Optional[QuantifyBounds] = None
    """The number of discriminated individuals, bounded by the proved shares, by met and, if it is all individuals, by
    the sample."""

    faults: Optional[List[str]] = None
    """Mistakes in the solver's answers. With any, nothing counts as proved."""

    grade: Optional[str] = None
    """The grade of the proof: exact, rigorous or numerical; absent if nothing is proved."""

    individuals: Optional[str] = None
    """The number of individuals in decimal digits; absent if it is unknown or a feature is real."""

    population: Optional[str] = None
    """The people that the shares are of; absent if each combination of values counts once."""

    proved_by: Optional[str] = None
    """The method of the proof: convolution of a linear model's contributions, without a solver; absent with boxes."""

    reason: Optional[str] = None
    """The reason why something is undecided."""

    rows: Optional[QuantifyRowsShare] = None
    """The data set's rows, evaluated exactly; absent without data, or if that took too long."""

    sampled: Optional[QuantifySampledShare] = None
    """The sample, drawn uniformly or from the population; absent with --samples 0 and without individuals."""


@dataclass(frozen=True)
class QuantifyWritten:
    """Written is the map as results show it."""

    covered: float
    """The share of the region's box that the boxes cover; below 1 if the solver was killed before it handed over all
    of them."""

    features: List[QuantifyWrittenFeature]
    """The shares by value, in the study's order."""

    pieces: Dict[str, int]
    """The number of boxes by claim: fair, unfair, undecided or outside."""

    file: Optional[str] = None
    """The file written."""

    plane: Optional[QuantifyWrittenPlane] = None
    """The two features whose values best separate fair from unfair among the evaluated individuals; absent if there
    are not two."""


@dataclass(frozen=True)
class QuantifyWrittenFeature:
    """WrittenFeature has the shares by one feature's values."""

    name: str
    """The feature."""

    values: List[QuantifyWrittenValue]
    """Its values, or ranges of them if it has more than 64."""


@dataclass(frozen=True)
class QuantifyWrittenPlane:
    """WrittenPlane is Plane as results show it."""

    undecided: List[List[float]]
    """The undecided share of the same individuals."""

    unfair: List[List[float]]
    """The proved unfair share of the individuals with both values, by values of y and then of x."""

    x: str
    """The first feature."""

    x_values: List[str]
    """Labels of the first feature's values, or of up to 20 ranges."""

    y: str
    """The second feature."""

    y_values: List[str]
    """Labels of the second feature's values, or of up to 20 ranges."""


@dataclass(frozen=True)
class QuantifyWrittenValue:
    """WrittenValue has the shares for some values of a feature."""

    fair: float
    """The share proved fair of the individuals with these values, a lower bound."""

    hi: float
    """The largest value of the range; equal to lo for one value."""

    label: str
    """The range as text."""

    lo: float
    """The least value of the range."""

    undecided: float
    """The rest."""

    unfair: float
    """The share proved unfair, a lower bound."""


@dataclass(frozen=True)
class QuestionBand:
    """Band is an outcome of a decision."""

    least: str
    """The least score of the band, a decimal or a fraction."""

    name: str
    """The name of the band."""


@dataclass(frozen=True)
class QuestionDecision:
    """Decision is the JSON form of a decision rule."""

    at: Optional[bool] = None
    """A score equal to the threshold is a positive decision too."""

    bands: Optional[List[QuestionBand]] = None
    """The outcomes, the favourable one first; absent where they are yes and no."""

    favourable: Optional[str] = None
    """The decision that is good for people: negative; absent where it is the positive one."""

    groups: Optional[List[QuestionGroup]] = None
    """The thresholds of groups of people; absent if all have the same."""

    threshold: Optional[str] = None
    """The score that a positive decision exceeds, a decimal or a fraction; absent with bands and with groups."""


@dataclass(frozen=True)
class QuestionGroup:
    """Group is a group of people with a threshold of its own."""

    group: str
    """The group, by values of protected attributes."""

    threshold: str
    """The score that a positive decision about them exceeds, a decimal or a fraction."""


@dataclass(frozen=True)
class ReconcileDifference:
    """Difference is a row with two scores."""

    file: str
    """The file of the row."""

    labels: Dict[str, str]
    """The row's values as text."""

    line: int
    """The line where the row begins."""

    ours: float
    """The model's score."""

    theirs: float
    """The score in the file."""


@dataclass(frozen=True)
class ReconcileScores:
    """Scores is the comparison of two lists of scores."""

    close: int
    """The number of rows whose scores differ by no more than tolerance, on different sides of a threshold."""

    decisions: int
    """The number of them with different decisions."""

    differ: int
    """The number of rows whose scores differ by more than tolerance. For a regression model, predicted numbers are
    compared."""

    file: str
    """The file of scores."""

    first: List[ReconcileDifference]
    """The first ten rows that differ or are close."""

    reversed: bool
    """The file has the scores of the other class."""

    rows: int
    """The number of rows compared."""

    tolerance: float
    """The largest difference that counts as equal."""

    worst: float
    """The largest difference."""


@dataclass(frozen=True)
class RecordMachine:
    """Machine describes the machine of a run. What the system does not report is left out."""

    arch: str
    """The architecture."""

    cpus: int
    """The number of processors."""

    os: str
    """The operating system."""

    caches: Optional[str] = None
    """The sizes of the first processor's caches, level 1 first."""

    cpu: Optional[str] = None
    """The processor's name."""

    governor: Optional[str] = None
    """The frequency governor of Linux."""

    kernel: Optional[str] = None
    """The kernel's version."""

    memory: Optional[int] = None
    """The memory in bytes."""


@dataclass(frozen=True)
class ReportAnswer:
    """Result is the answer to a Request. A part without an answer is nil, and its step says why."""

    budget: str
    """The budget of the report."""

    epsilon: str
    """ε of score differences, exact; empty where outcomes are bands."""

    model: str
    """The file name of the model."""

    notion: str
    """The notion."""

    protected: List[str]
    """The attributes that vary."""

    provenance: ReportProvenance
    """The origin of the numbers."""

    seconds: float
    """Wall time in seconds."""

    seed: int
    """The value of --seed."""

    steps: List[ReportStep]
    """The questions asked, in order."""

    study: str
    """The study's name."""

    audit: Optional[AuditAnswer] = None
    """The audit, without its rows unless --people show is given; absent if there is no answer, as are the next six."""

    decision: Optional[QuestionDecision] = None
    """The rule of a positive decision; absent for a score above ½ that is favourable."""

    disagreements: Optional[List[str]] = None
    """Claims of solvers that evaluated individuals refute, with the step. They end the command with exit code 4."""

    explanation: Optional[ExplainAnswer] = None
    """The explanation."""

    input_check: Optional[StudyInputCheck] = None
    """The check of the study's inputs."""

    interrupted: Optional[bool] = None
    """A signal ended the command early."""

    journal: Optional[str] = None
    """The journal's file; absent if nothing is kept."""

    limit: Optional[str] = None
    """ε in the notion's unit; absent for a notion without ε."""

    mitigation: Optional[MitigateAnswer] = None
    """The mitigation."""

    number: Optional[bool] = None
    """The model predicts a number, so that nothing is asked about scores and decisions."""

    observed: Optional[ScorerSpent] = None
    """The answers of a model plugin that the result rests on, and what they cost: it is observed, and nothing is
    proved about the model. Absent for a model that was read."""

    person: Optional[ReportPerson] = None
    """An example: of the people found who are not in the data and keep all rules, the one nearest to a row; absent if
    none was found whose copies differ."""

    plausible: Optional[QuantifyAnswer] = None
    """The shares of a population fitted to the rows, by decisions if the model makes any."""

    run: Optional[str] = None
    """The run's name in the journal; absent if nothing is kept."""

    search: Optional[SearchAnswer] = None
    """The search."""

    shares: Optional[QuantifyAnswer] = None
    """The shares of quantify, each combination of values once."""

    space: Optional[ReportDrawn] = None
    """Individuals drawn uniformly from all possible ones, and evaluated."""

    verdict: Optional[CertifyAnswer] = None
    """The verdict of certify."""

    where: Optional[str] = None
    """The value of --where."""

    worst: Optional[ReportWorst] = None
    """The outcomes of the worst-treated person of all who were met, rows of the data included, by k and then by gap;
    absent if no person's copies differ."""


@dataclass(frozen=True)
class ReportCopy:
    """Copy is one copy of a Person."""

    labels: Dict[str, str]
    """The protected values as text."""

    score: float
    """The copy's score."""

    band: Optional[str] = None
    """The copy's band, if the decision has bands."""

    positive: Optional[bool] = None
    """The copy's decision is positive. Absent in reports of older versions, and with bands."""


@dataclass(frozen=True)
class ReportDrawn:
    """Drawn summarises individuals that were drawn uniformly and evaluated."""

    gaps: List[ViewBin]
    """The individuals by score gap."""

    k: List[ViewBin]
    """The individuals by k."""

    mean_gap: float
    """The mean of their gaps."""

    mean_k: float
    """The mean of their k."""

    n: int
    """The number of individuals drawn."""

    flips: Optional[int] = None
    """The number of those whose copies get different decisions; absent in reports of older versions."""


@dataclass(frozen=True)
class ReportPerson:
    """Person is an individual with all its copies."""

    by: str
    """The step of the report that found the person: search, certify or audit."""

    command: str
    """The command that replays the person in exact arithmetic."""

    copies: List[ReportCopy]
    """All copies."""

    features: List[str]
    """The names of all features, in the study's order."""

    gap: float
    """The person's score gap."""

    k: int
    """The person's k."""

    labels: Dict[str, str]
    """The values of the other features as text."""

    protected: List[str]
    """The features in which copies differ."""

    distance: Optional[float] = None
    """The Gower distance to the nearest row of the data, 0 to 1; absent without data."""

    of: Optional[int] = None
    """The number of people that this one was chosen from; absent in reports of older versions."""


@dataclass(frozen=True)
class ReportProvenance:
    """Provenance names what the answers depend on."""

    begun: str
    """The time when the report began."""

    machine: RecordMachine
    """The machine."""

    model_sha256: str
    """The SHA-256 of the model."""

    plugins: List[str]
    """The plugins used, with versions."""

    study_sha256: str
    """The SHA-256 of the study."""

    version: str
    """The version of hyfair."""

    data_sha256: Optional[str] = None
    """The SHA-256 of the data; absent without data."""


@dataclass(frozen=True)
class ReportStep:
    """Step is one command of the assessment."""

    command: str
    """The command line that asks the same alone."""

    name: str
    """The command."""

    seconds: float
    """Wall time in seconds."""

    from_: Optional[str] = field(default=None, metadata={"json": "from"})
    """The run of the journal whose result was reused."""

    missing: Optional[str] = None
    """The reason why there is no answer."""

    trouble: Optional[str] = None
    """A problem that left the answer valid."""


@dataclass(frozen=True)
class ReportWorst:
    """Worst is the outcomes of one person."""

    by: str
    """The step that found the person."""

    high: float
    """The highest score of a copy."""

    k: int
    """The person's k."""

    low: float
    """The lowest score of a copy."""

    n: int
    """The number of copies."""


@dataclass(frozen=True)
class ScorerSpent:
    """Spent is what the answers of a model plugin have cost so far."""

    kept: int
    """The rows whose scores came from the journal."""

    plugin: str
    """The plugin: its name and its version."""

    rows: int
    """The rows that it was asked about."""

    scale: str
    """What its scores are: share, logit or number."""

    seconds: float
    """The time that it took for them, in seconds."""


@dataclass(frozen=True)
class SearchAnswer:
    """Result is the answer to a Request and the JSON object of hyfair search: the measures of its run, or their means,
    then the rest."""

    id: Optional[float] = field(metadata={"json": "#ID"})
    """The number of distinct individuals with a gap above ε."""

    id_maxk: Optional[float] = field(metadata={"json": "#ID.maxK"})
    """The number of individuals whose k is Max.K."""

    k_1st: Optional[float] = field(metadata={"json": "#K.1st"})
    """The k of the first."""

    avg_k: Optional[float] = field(metadata={"json": "Avg.K"})
    """The mean k among them."""

    Iter: Optional[float]
    """The number of closed rounds. Over several runs all measures are means; null: no individual was found."""

    max_k: Optional[float] = field(metadata={"json": "Max.K"})
    """The largest k among them."""

    succ_rate: Optional[float] = field(metadata={"json": "Succ.rate"})
    """#ID divided by Iter, in per cent; null without a closed round."""

    t_1st: Optional[float] = field(metadata={"json": "T.1st"})
    """Seconds from the start of the clock to the first of them."""

    t_maxk: Optional[float] = field(metadata={"json": "T.maxK"})
    """Seconds to the first of those."""

    best: Optional[SearchBest]
    """The worst-treated individual of all runs: largest k, then largest gap; null if none was found."""

    budget: str
    """The budget."""

    epsilon: str
    """ε, exact."""

    mode: str
    """The mode: paper or fast."""

    model: str
    """The file name of the model."""

    runs: List[SearchRunResult]
    """The runs."""

    runs_found: int
    """The number of runs that found an individual."""

    seconds: float
    """Wall time in seconds."""

    seed: int
    """The seed of the first run."""

    solver: str
    """The solver in the loop, or none."""

    strategy: str
    """The strategy."""

    study: str
    """The study's name."""

    bound: Optional[SearchBound] = None
    """The proved bound of k, with --bound."""

    chains: Optional[int] = None
    """The chains of fast mode."""

    decision: Optional[QuestionDecision] = None
    """The rule of a positive decision; absent for a score above ½ that is favourable."""

    disagreements: Optional[List[str]] = None
    """Claims of the solver that evaluated individuals refute, the first ten. They end the command with exit code 4."""

    gates: Optional[List[GateCheck]] = None
    """The outcome of each gate."""

    input_check: Optional[StudyInputCheck] = None
    """The check of the study's inputs."""

    interrupted: Optional[bool] = None
    """A signal ended the command early."""

    journal: Optional[str] = None
    """The journal's file; absent if nothing is kept."""

    near: Optional[str] = None
    """The largest Gower distance from a row of the data, with --near."""

    near_rows: Optional[int] = None
    """With --near: the number of different rows of the data, --where or not; rows with a value outside its domain are
    left out."""

    notion: Optional[str] = None
    """The value of --notion. With decision, the search looks for individuals whose copies get different decisions, and
    epsilon is 0.5."""

    observed: Optional[ScorerSpent] = None
    """The answers of a model plugin that the result rests on, and what they cost: it is observed, and nothing is
    proved about the model. Absent for a model that was read."""

    out: Optional[str] = None
    """The CSV file that was written."""

    population: Optional[str] = None
    """The people that the strategy started from; absent if they were rows of the data, or combinations of values."""

    run: Optional[str] = None
    """The first run's name in the journal; absent if nothing is kept."""

    sd: Optional[SearchMeasures] = None
    """The standard deviations of the measures; absent with one run."""


@dataclass(frozen=True)
class SearchBest:
    """Best is the worst-treated individual of all runs."""

    features: List[str]
    """The names of all features, in the study's order."""

    gap: float
    """The individual's score gap."""

    k: int
    """The individual's k."""

    labels: Dict[str, str]
    """These values as text."""

    min_entropy: float
    """The min-entropy of that distribution, in bits."""

    round: int
    """The round that found it, from 0."""

    run: int
    """The run that found it, from 1."""

    scores: List[SearchScore]
    """The individual's counterfactuals."""

    shannon: float
    """The Shannon entropy of the counterfactuals' distribution over the bins, in bits."""

    x: Dict[str, float]
    """The values of the features that are not protected."""


@dataclass(frozen=True)
class SearchBound:
    """Bound is an upper bound of k that a solver proved; searches only find individuals."""

    certified: bool
    """An individual that was found reaches the bound."""

    grade: str
    """The grade of the proof."""

    max_k: int
    """No individual of the searched space reaches more bins."""

    seconds: float
    """Wall time in seconds."""

    solver: str
    """The solver that gave the proof."""

    error: Optional[str] = None
    """The reason why the solver stopped early: it was lost, or contradicted an evaluated individual, on which the
    bound does not rest."""


@dataclass(frozen=True)
class SearchMeasures:
    """Measures are the columns of the tables for one run, or their means over several. nil is N/A: nothing was found."""

    id: Optional[float] = field(metadata={"json": "#ID"})
    """The number of distinct individuals with a gap above ε."""

    id_maxk: Optional[float] = field(metadata={"json": "#ID.maxK"})
    """The number of individuals whose k is Max.K."""

    k_1st: Optional[float] = field(metadata={"json": "#K.1st"})
    """The k of the first."""

    avg_k: Optional[float] = field(metadata={"json": "Avg.K"})
    """The mean k among them."""

    Iter: Optional[float]
    """The number of closed rounds. Over several runs all measures are means; null: no individual was found."""

    max_k: Optional[float] = field(metadata={"json": "Max.K"})
    """The largest k among them."""

    succ_rate: Optional[float] = field(metadata={"json": "Succ.rate"})
    """#ID divided by Iter, in per cent; null without a closed round."""

    t_1st: Optional[float] = field(metadata={"json": "T.1st"})
    """Seconds from the start of the clock to the first of them."""

    t_maxk: Optional[float] = field(metadata={"json": "T.maxK"})
    """Seconds to the first of those."""


@dataclass(frozen=True)
class SearchRunResult:
    """RunResult is one run."""

    id: Optional[float] = field(metadata={"json": "#ID"})
    """The number of distinct individuals with a gap above ε."""

    id_maxk: Optional[float] = field(metadata={"json": "#ID.maxK"})
    """The number of individuals whose k is Max.K."""

    k_1st: Optional[float] = field(metadata={"json": "#K.1st"})
    """The k of the first."""

    avg_k: Optional[float] = field(metadata={"json": "Avg.K"})
    """The mean k among them."""

    Iter: Optional[float]
    """The number of closed rounds. Over several runs all measures are means; null: no individual was found."""

    max_k: Optional[float] = field(metadata={"json": "Max.K"})
    """The largest k among them."""

    succ_rate: Optional[float] = field(metadata={"json": "Succ.rate"})
    """#ID divided by Iter, in per cent; null without a closed round."""

    t_1st: Optional[float] = field(metadata={"json": "T.1st"})
    """Seconds from the start of the clock to the first of them."""

    t_maxk: Optional[float] = field(metadata={"json": "T.maxK"})
    """Seconds to the first of those."""

    evaluations: int
    """The number of individuals evaluated, including those that the strategy evaluated itself."""

    no_seed: int
    """The number of questions that the solver did not answer."""

    outside: int
    """The number of proposals outside the space."""

    seconds: float
    """Wall time in seconds."""

    seed: int
    """The run's seed."""

    spurious: int
    """The number of the solver's answers that evaluation refuted."""

    ended: Optional[str] = None
    """The reason why the run ended before its budget: the constraints leave no individual or, if the budget counts
    evaluations, 100,000 proposals in a row led to none."""

    error: Optional[str] = None
    """The error that ended the run early."""

    faults: Optional[List[str]] = None
    """Mistakes in answers of the solver, the first ten."""

    run: Optional[str] = None
    """The run's name in the journal; absent if nothing is kept."""

    solver_error: Optional[str] = None
    """The error that lost the solver."""

    uncounted: Optional[bool] = None
    """The strategy holds the model and reported fewer evaluations of its own than one in two rounds. Its rounds and
    evaluations are then not comparable; its times are."""


@dataclass(frozen=True)
class SearchScore:
    """Score is one counterfactual of Best."""

    labels: Dict[str, str]
    """The protected values as text."""

    score: float
    """The copy's score."""

    z: Dict[str, float]
    """The protected values."""


@dataclass(frozen=True)
class StudyInputCheck:
    """InputCheck is the evidence that a study feeds its model the inputs that the model's owner feeds it. The zero
    value: not checked."""

    checked: bool
    """Whether a valid check shows that the study feeds the model as its owner does."""

    by: Optional[str] = None
    """The kind of check: scores, compared with those of the owner's pipeline; or training, if hyfair trained the model
    on the study's inputs."""

    doubts: Optional[List[str]] = None
    """Evidence against the study's inputs, checked or not."""

    rows: Optional[int] = None
    """The number of rows compared."""

    why: Optional[str] = None
    """The reason why an earlier check is not valid."""

    worst: Optional[float] = None
    """The largest difference between the scores of a row."""


@dataclass(frozen=True)
class ViewBin:
    """Bin is a bin of a histogram."""

    from_: float = field(metadata={"json": "from"})
    """The lower end."""

    n: int
    """The number counted."""

    to: float
    """The upper end."""
