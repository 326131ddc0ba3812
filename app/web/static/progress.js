// Shows what a run says while it goes on; without this file the page refreshes itself.
"use strict";
const box = document.querySelector("[data-events]");
const list = box.querySelector("ol");
const source = new EventSource(`${box.dataset.events}?after=${box.dataset.after}`);
const add = (event) => {
  const line = document.createElement("li");
  const time = document.createElement("time");
  const told = JSON.parse(event.data);
  time.textContent = `${told.at.slice(11, 19)} `;
  line.append(time, told.text);
  list.append(line);
  list.scrollTop = list.scrollHeight;
  if (event.type === "taken") box.querySelector("h2").textContent = "Being investigated";
};
for (const kind of ["taken", "resumed", "stage", "agent_started", "tool_called", "agent_done"]) source.addEventListener(kind, add);
source.addEventListener("report", () => location.reload());
source.addEventListener("end", () => { source.close(); location.reload(); });
list.scrollTop = list.scrollHeight;
