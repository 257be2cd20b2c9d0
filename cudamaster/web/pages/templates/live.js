const live = document.querySelector("[data-live]");
const says = (text) => { document.getElementById("live-link").textContent = text; };

function kept(old, fresh) {
  for (const one of fresh.querySelectorAll("details, input[type=radio]")) {
    const same = one.id ? document.getElementById(one.id)
      : one.parentElement.id && old.querySelector(`[id="${one.parentElement.id}"] > details`);
    if (!same) continue;
    if (one.tagName === "DETAILS") one.open = same.open;
    else one.checked = same.checked;
  }
}

function renew(html) {
  const sent = document.createElement("template");
  sent.innerHTML = html;
  for (const fresh of sent.content.querySelectorAll("[id^=part-]")) {
    const old = document.getElementById(fresh.id);
    if (seen.get(fresh.id) === fresh.innerHTML) continue;
    seen.set(fresh.id, fresh.innerHTML);
    if (!old) {
      document.getElementById("main").append(fresh);
      ready(fresh);
      continue;
    }
    const focused = old.contains(document.activeElement) && document.activeElement.id;
    kept(old, fresh);
    old.replaceWith(fresh);
    ready(fresh);
    if (focused) document.getElementById(focused)?.focus();
  }
}

const seen = new Map();

function follow() {
  const source = new EventSource(live.dataset.live);
  source.addEventListener("open", () => says(""));
  source.addEventListener("error", () => {
    const over = source.readyState === EventSource.CLOSED;
    says(over ? "no longer connected: reload the page" : "connection lost, trying again");
  });
  source.addEventListener("message", (event) => {
    const view = JSON.parse(event.data);
    renew(view.html);
    document.title = `${view.title} · CUDAMaster`;
    const line = document.getElementById("live-line");
    if (line.textContent !== view.line) line.textContent = view.line;
    if (view.over) source.close();
  });
}

if (!("over" in live.dataset)) follow();
