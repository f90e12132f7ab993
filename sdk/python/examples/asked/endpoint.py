"""A model behind HTTP: here a scorecard on this machine, in its own thread."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.request import Request, urlopen

from applicants import applicants

import hyfair


class Scorecard(BaseHTTPRequestHandler):
    """Answers a list of applicants with a list of probabilities."""

    def do_POST(self):
        people = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        shares = [min(1, max(0, (p["income"] + p["credit_rating"] - p["debt_ratio"] + 4 * (p["sex"] == "male")) / 20)) for p in people]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(shares).encode())

    def log_message(self, format, *args):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Scorecard)
threading.Thread(target=server.serve_forever, daemon=True).start()


def scores(rows):
    body = json.dumps(rows.to_dict("records")).encode()
    with urlopen(Request(f"http://127.0.0.1:{server.server_port}", body)) as answer:
        return json.load(answer)


X, y = applicants()
audit = hyfair.Study(scores, X, y=y, protected=["sex"], threshold=0.5).audit()
print(audit.by_group[["group", "people", "selection_rate", "flips"]])
server.shutdown()
server.server_close()
