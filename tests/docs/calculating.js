// Answers of the calculator to all cases, and after each step of a person.
const json = (id) => JSON.parse(document.getElementById(id).textContent);
const answer = (asked) => {
  try {
    return netmodelCalculator.answered(asked);
  } catch (error) {
    if (error instanceof netmodelCalculator.Refusal) return {refusal: error.field};
    return {fault: String(error.stack)};
  }
};
const at = (id) => document.getElementById(`nlc-${id}`);
const step = ([id, text]) => {
  at(id).value = text;
  at(id).dispatchEvent(new Event("input"));
  return {answer: at("answer").innerText, command: at("command").value,
    error: ["rate", "mtu"].filter((name) => at(`${name}-error`).textContent).join(),
    odd: /NaN|undefined|null|Infinity/.test(document.getElementById("nlc").innerText)};
};
document.getElementById("answers").textContent = JSON.stringify(json("asked").map(answer));
document.getElementById("driven").textContent = JSON.stringify(json("steps").map(step));
