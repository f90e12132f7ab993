from __future__ import annotations

import pytest

from hyfair.plugin import InvalidOption, Option, option

OPTIONS = [
    Option("share", "0.25", "a share, 0 to 1"), Option("least", "3", "no end above"), Option("most", "-1", "no end below"),
    Option("free", "0", "any number"), Option("count", "10", "from 2 on"), Option("large", "0", "any whole number"),
    Option("on", "false", "true or false"), Option("colour", "red", "red or blue"),
]


def values(given):
    r = option.read(OPTIONS, given)
    out = (r.float("share", 0, 1), r.float("least", 2), r.float("most", hi=2), r.float("free"), r.int("count", 2, 1_000_000),
           r.int("large", -1 << 63, (1 << 63) - 1), r.bool("on"), r.choice("colour", "red", "blue"))
    r.require("count", out[4] != 13)
    return out


def test_values_are_those_of_go():
    assert values({}) == (0.25, 3, -1, 0, 10, 0, False, "red")
    assert values({"share": "1", "least": "1e300", "most": "2", "free": "-7.5", "count": "1e6", "large": "-9007199254740993", "on": "true", "colour": "blue"}) == (
        1, 1e300, 2, -7.5, 1_000_000, -9007199254740993, True, "blue")


@pytest.mark.parametrize("name, given, why", [  # as in sdk/option
    ("share", "|-0.1|1.1|NaN|Inf|x| 1|0_1", "allowed is a number from 0 to 1; share: a share, 0 to 1"),
    ("least", "1.9|Inf|NaN", "number of at least 2; least: no end above"),
    ("most", "2.1|-Inf", "number of at most 2;"),
    ("free", "Inf|-Inf|1e999|NaN", "number that is finite;"),
    ("count", "|1|2.5|1000001|1e7|Inf|NaN|ten", "allowed is a whole number from 2 to 1000000; count: from 2 on"),
    ("count", "13", 'count = "13"; count: from 2 on'),
    ("large", "0.5|1e19|-1e300|1e999", "whole number from -9223372036854775808 to 9223372036854775807"),
    ("on", "|1|on|True", "allowed are true, false; on: true or false"),
    ("colour", "|green", "allowed are red, blue; colour: red or blue"),
    ("hue", "|red", "it takes share, least, most, free, count, large, on, colour"),
])
def test_refusals(name, given, why):
    for v in given.split("|"):
        with pytest.raises(InvalidOption) as e:
            values({name: v})
        assert why in str(e.value) and name in str(e.value)


def test_the_word_of_before():
    assert option.word({"a": "on"}, "a", ["on", "off"]) == "on"
    with pytest.raises(InvalidOption, match='a = "up"; allowed are on, off, auto'):
        option.word({"a": "up"}, "a", ["on", "off", "auto"])
