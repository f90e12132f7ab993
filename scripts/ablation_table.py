"""What single ideas of bnb bring: the table of results.md, from the tidy rows of studies/ablation*.yaml.

    ablation_table.py RUNS.jsonl...

compares each arm with that of all ideas, on the same model. PAR-2 counts a task without a proof as twice the budget. Time and
nodes are sums over the models that both arms settle, what is left open is the mean over the others.
"""
import json
import re
import sys


def main():
    arms = {}
    for path in sys.argv[1:]:
        for line in open(path):
            row = json.loads(line)
            goal, off = re.fullmatch(r"(.*) set\.off=(.*)", row["arm"]).groups()
            arms.setdefault((row["experiment"], goal), {}).setdefault(off, {})[row["model"]] = row
    print("| off | file, goal | settled | PAR-2 | nodes, both settled | seconds, both settled | left open |\n|---|---|---|--:|--:|--:|--:|")
    for (experiment, goal), variants in arms.items():
        every = variants.pop("")
        for off, rows in variants.items():
            pairs = [(every[model], row) for model, row in rows.items()]
            proved = [p for p in pairs if all(r["T.proof"] is not None for r in p)]
            opened = [p for p in pairs if p not in proved and all(r["left_open"] is not None for r in p)]
            total = lambda name, of: [sum(p[i][name] for p in of) for i in (0, 1)]
            change = lambda two: "" if not two[0] else f"{100 * (two[1] / two[0] - 1):+.0f} %"
            settled = [sum(p[i]["T.proof"] is not None for p in pairs) for i in (0, 1)]
            left = [v / max(1, len(opened)) for v in total("left_open", opened)]
            print(f"| `{off}` | {experiment}, {goal} | {settled[0]} → {settled[1]} of {len(pairs)} | {change(total('PAR-2', pairs))} | {change(total('nodes', proved))} "
                  f"| {change(total('T.proof', proved))} | {left[0]:.4f} → {left[1]:.4f} |")


if __name__ == "__main__":
    main()
