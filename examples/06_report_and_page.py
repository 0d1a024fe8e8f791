"""Lesson 6: a report and a page to fill in, for someone who does not program.

Each is one HTML file that needs nothing else. They are written into the current folder.
"""

from pathlib import Path

from sklearn.tree import DecisionTreeClassifier

import orderless as ol

X, y = ol.datasets.load("wisconsin")
y = y.map({0: "benign", 1: "malignant"})
tree = ol.read(DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y))

report = ol.report(
    tree,
    X,
    y,
    title="Breast tumours: what the tree decides",
    about={"Data": "Wisconsin diagnostic breast cancer, 569 patients"},
)
path = report.save("report.html")
print(f"{path}: {path.stat().st_size // 1024} kB. It has, among other things:")
for heading in report.html.split("<h2")[1:]:
    print("  -", heading.split(">", 1)[1].split("</h2>")[0].strip())

# radius1 is the mean over a patient's cells, radius2 its error, radius3 the worst.
kinds = {"1": "mean", "2": "error", "3": "worst"}
labels = {name: f"{name[:-1].replace('_', ' ')} ({kinds[name[-1]]})" for name in tree.features}
page = ol.write_page(
    tree,
    "page.html",
    title="Benign or malignant?",
    labels=labels,
    examples={"A patient": {name: float(X[name].iloc[19]) for name in tree.features[:2]}},
)
print(f"page.html: {len(page) // 1024} kB. It asks for {', '.join(labels.values())}.")

print("\nWhat the page decides, your own program can, too:")
script = Path("tree.js")
script.write_text(tree.to_javascript(), encoding="utf-8")
print(f"{script}: {script.stat().st_size // 1024} kB of JavaScript without dependencies")
print(script.read_text(encoding="utf-8").splitlines()[-1])
