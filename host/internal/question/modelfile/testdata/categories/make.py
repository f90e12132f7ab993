"""Makes the models of this folder, whose files hold the categories of their inputs in the order of their codes, and
the libraries' own scores of people.csv. Run with the versions in ../../libraries/requirements.txt."""
import lightgbm
import numpy as np
import pandas as pd
import xgboost

random = np.random.default_rng(3)
N = 160
people = pd.DataFrame({
    "kids": random.integers(0, 3, N),  # may be taken for codes of level
    "level": random.choice(["low", "medium", "high"], N),
    "zone": random.choice([3, 1, 2], N),
    "town": random.choice(['Aix, "old"', "Évry", "b=c"], N),
    "sex": random.choice(["woman", "man"], N),
    "hours": random.integers(10, 60, N),
})
score = (people.level == "high") * 1.5 + (people.zone == 3) + (people.town == "Évry") + (people.sex == "man") * 0.8 + people.hours / 20 + random.normal(0, 0.4, N)
people["paid"] = np.where(score > score.median(), "yes", "no")
people.to_csv("people.csv", index=False)

x = people.drop(columns="paid")
x["level"] = pd.Categorical(x.level, categories=["low", "medium", "high"], ordered=True)
x["zone"] = pd.Categorical(x.zone, categories=[3, 1, 2])
x["town"] = pd.Categorical(x.town, categories=["Évry", 'Aix, "old"', "b=c"])
x["sex"] = pd.Categorical(x.sex, categories=["woman", "man"])
y = (people.paid == "yes").astype(int)

lgb = lightgbm.LGBMClassifier(n_estimators=4, max_depth=3, min_child_samples=5, cat_smooth=1, min_data_per_group=5, verbose=-1).fit(x, y)
lgb.booster_.save_model("lightgbm.txt")
xgb = xgboost.XGBClassifier(n_estimators=4, max_depth=3, enable_categorical=True, tree_method="hist").fit(x, y)
xgb.save_model("xgboost.json")
xgb.save_model("xgboost.ubj")
for name, model in [("lightgbm", lgb), ("xgboost", xgb)]:
    pd.DataFrame({"p": model.predict_proba(x)[:, 1].astype(float)}).to_csv(f"{name}.csv", index=False)
