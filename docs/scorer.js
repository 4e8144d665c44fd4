/* What the search shows first: the page that answers a common word, or is named like what was typed. */
const ANSWERS = {
  "kubernetes": "howto/tunnels", "pod mtu": "howto/tunnels", "vxlan": "howto/tunnels",
  "wireguard": "howto/tunnels", "connectx": "howto/your-own-adapter",
  "single stream": "howto/gate-your-ci-on-physics", "window": "howto/long-fat-networks",
  "bandwidth delay": "howto/long-fat-networks", "copy time": "howto/long-fat-networks",
  "osa": "howto/predict", "rps": "howto/compare", "smc-r": "howto/smc-r-over-a-distance",
  "vswitch": "explanation/virtual-paths",
};
var Scorer = {
  score: ([docname, title, anchor, descr, score]) => {
    const query = (new URLSearchParams(window.location.search).get("q") || "").trim().toLowerCase();
    const page = docname.split("/").pop().split(".").pop().toLowerCase();
    const name = title.toLowerCase().split(/[ .>]+/).pop();
    let bonus = ANSWERS[query] === docname ? 1000 : 0;
    if (query.startsWith("--") && docname.startsWith("reference/commands/")) bonus += 100;
    if (title.toLowerCase() === query) bonus += 300;
    if (page === query) bonus += 200;
    if (name === query) bonus += 100;
    if (docname.startsWith("why/") || docname.startsWith("development/")) bonus -= 100;
    return score + bonus;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
