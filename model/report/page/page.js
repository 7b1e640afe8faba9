"use strict";
// Draws the wires of each recorded execution, and steps through it by keyboard. The steps
// themselves are in the page already; nothing is fetched.
(() => {
	const svgNS = "http://www.w3.org/2000/svg";

	function el(tag, className, text) {
		const e = document.createElement(tag);
		if (className) e.className = className;
		if (text !== undefined) e.textContent = text;
		return e;
	}

	function shape(parent, tag, className, attributes) {
		const e = document.createElementNS(svgNS, tag);
		e.setAttribute("class", className);
		for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
		parent.append(e);
		return e;
	}

	class Picture {
		constructor(root, data) {
			this.root = root;
			this.data = data;
			this.field = root.querySelector(".field");
			this.svg = root.querySelector(".wires");
			this.list = root.querySelector(".steps");
			this.card = root.querySelector(".card");
			this.rows = [...this.list.children];
			this.lanes = Number(root.dataset.lanes);
			this.selected = -1;
			this.list.addEventListener("keydown", (e) => this.key(e, true));
			this.list.addEventListener("click", (e) => {
				const row = e.target.closest(".row");
				if (row) this.select(this.rows.indexOf(row));
			});
			new ResizeObserver(() => this.draw()).observe(this.field);
			this.select(data.start, true);
		}

		// key handles a key, and reports whether it means something here.
		key(e, arrows) {
			if (e.ctrlKey || e.metaKey || e.altKey) return false;
			const to = {
				j: () => this.selected + 1, k: () => this.selected - 1,
				l: () => this.along(1), h: () => this.along(-1),
				...(arrows && {
					ArrowDown: () => this.selected + 1, ArrowUp: () => this.selected - 1,
					ArrowRight: () => this.along(1), ArrowLeft: () => this.along(-1),
					Home: () => 0, End: () => this.rows.length - 1,
				}),
			}[e.key];
			if (!to) return false;
			e.preventDefault();
			e.stopPropagation();
			this.select(Math.min(Math.max(to(), 0), this.rows.length - 1));
			return true;
		}

		// along returns the next row of the same lane in that direction, or the present one.
		along(direction) {
			const lane = this.data.rows[this.selected].lane;
			for (let i = this.selected + direction; i >= 0 && i < this.rows.length; i += direction) {
				if (this.data.rows[i].lane === lane) return i;
			}
			return this.selected;
		}

		select(i, quietly) {
			if (this.selected >= 0) this.rows[this.selected].setAttribute("aria-selected", "false");
			this.selected = i;
			this.rows[i].setAttribute("aria-selected", "true");
			this.list.setAttribute("aria-activedescendant", this.rows[i].id);
			this.describe(i);
			this.draw();
			if (!quietly) this.rows[i].scrollIntoView({ block: "nearest" });
		}

		// past returns the rows that happen before row i, with it.
		past(i) {
			const seen = new Set();
			const todo = [i];
			while (todo.length > 0) {
				const k = todo.pop();
				if (seen.has(k)) continue;
				seen.add(k);
				const row = this.data.rows[k];
				todo.push(...row.after);
				for (let p = k - 1; p >= 0; p--) {
					if (this.data.rows[p].lane === row.lane) {
						todo.push(p);
						break;
					}
				}
			}
			return seen;
		}

		draw() {
			const box = this.field.getBoundingClientRect();
			if (box.width === 0) return;
			const rails = this.lanes > 1 && box.width / this.lanes < 190;
			const rail = Math.min(18, (box.width * 0.35) / this.lanes);
			this.root.classList.toggle("rails", rails);
			this.root.style.setProperty("--rails", `${rail * this.lanes}px`);
			const at = this.rows.map((row, i) => {
				const r = row.getBoundingClientRect();
				const line = row.querySelector(".line").getBoundingClientRect();
				const x = rails ? (this.data.rows[i].lane + 0.5) * rail : r.left - box.left + 15;
				return { x, y: line.top - box.top + line.height / 2, top: r.top - box.top + 1 };
			});
			this.svg.replaceChildren();
			this.drawLives(at);
			const side = rails ? Math.min(4, rail / 4) : 6;
			this.data.rows.forEach((row, i) => {
				for (const k of row.after) this.wire(at[k], at[i], side, "arrow", this.isOn(k, i));
				if (row.race >= 0 && row.race < i) this.wire(at[row.race], at[i], -side, "raced");
				for (const k of row.holds) this.wire(at[k], at[i], -side, "holds");
			});
			const past = this.past(this.selected);
			this.data.rows.forEach((row, i) => this.dot(row, at[i], i, past.has(i), rails));
		}

		isOn(from, to) { return from === this.selected || to === this.selected; }

		drawLives(at) {
			const last = new Map();
			this.data.rows.forEach((row, i) => {
				if (last.has(row.lane)) {
					const from = at[last.get(row.lane)];
					shape(this.svg, "line", `life l${row.lane % 6}${row.waits ? " stuck" : ""}`,
						{ x1: from.x, y1: from.y, x2: at[i].x, y2: at[i].y });
				}
				last.set(row.lane, i);
			});
		}

		// wire goes down beside the lane of its first end and then across, in the row of its second
		// end, where the other lanes are empty. To the left it passes above the text of that row.
		wire(from, to, side, kind, on) {
			const x = from.x + side;
			const state = on ? " on" : "";
			const right = to.x > from.x;
			const y = right || this.root.classList.contains("rails") ? to.y : to.top;
			const turn = Math.max(0, Math.min(6, y - from.y, Math.abs(to.x - x) / 2));
			const towards = right ? 1 : -1;
			let d = `M ${x} ${from.y + 4} V ${y - turn} Q ${x} ${y} ${x + towards * turn} ${y}`;
			let tip;
			if (y === to.y) {
				const end = to.x - towards * 7;
				d += ` H ${end}`;
				tip = `M ${end + towards} ${y} l ${-towards * 7} -4 v 8 z`;
			} else {
				d += ` H ${to.x + 3} Q ${to.x} ${y} ${to.x} ${y + 3} V ${to.y - 8}`;
				tip = `M ${to.x} ${to.y - 6} l -4 -7 h 8 z`;
			}
			shape(this.svg, "path", kind + state, { d });
			if (kind === "arrow") shape(this.svg, "path", "tip" + state, { d: tip });
		}

		dot(row, p, i, past, small) {
			const r = small ? 4 : 5;
			const state = `dot l${row.lane % 6}${i === this.selected ? " here" : past ? " past" : ""}` +
				(row.race !== -1 || row.waits ? " bad" : "");
			if (row.race !== -1) {
				shape(this.svg, "path", state,
					{ d: `M ${p.x} ${p.y - r - 2} l ${r + 2} ${r + 2} l ${-r - 2} ${r + 2} l ${-r - 2} ${-r - 2} z` });
			} else if (row.waits) {
				shape(this.svg, "rect", state,
					{ x: p.x - r, y: p.y - r, width: 2 * r, height: 2 * r, rx: 1 });
			} else {
				shape(this.svg, "circle", state, { cx: p.x, cy: p.y, r });
			}
		}

		describe(i) {
			const row = this.data.rows[i];
			const parts = [
				el("p", `from l${row.lane % 6}`, this.data.lanes[row.lane]),
				el("h3", "", `${row.waits ? "Waits for ever" : `Step ${i + 1}`}: ${row.op}`),
			];
			if (row.value) parts.push(el("p", "result mono", row.value));
			if (row.note) parts.push(el("p", "result", row.note));
			if (row.file) {
				const where = row.func ? `${row.func}, ` : "";
				parts.push(el("p", "at", `${where}${row.file}:${row.line}`));
				const excerpt = this.excerpt(row);
				if (excerpt) parts.push(excerpt);
			}
			const rows = this.data.rows;
			const later = rows.flatMap((r, k) => (r.after.includes(i) ? [k] : []));
			this.links(parts, "Synchronizes before it", row.after);
			this.links(parts, "It synchronizes before", later);
			if (row.race >= 0) this.links(parts, "Races with", [row.race]);
			this.links(parts, "Held since", row.holds);
			this.links(parts, "Keeps waiting", rows.flatMap((r, k) => (r.holds.includes(i) ? [k] : [])));
			this.card.replaceChildren(...parts);
			const current = this.card.querySelector(".current");
			if (current) current.parentElement.scrollLeft = 0;
		}

		links(parts, title, which) {
			if (which.length === 0) return;
			const list = el("ul", "links");
			for (const k of which) {
				const row = this.data.rows[k];
				const name = row.waits ? "waits" : `step ${k + 1}`;
				const button = el("button", "", `${name}, ${this.data.lanes[row.lane]}: ${row.op}`);
				button.type = "button";
				button.addEventListener("click", () => {
					this.select(k);
					this.list.focus({ preventScroll: true });
				});
				const item = el("li");
				item.append(button);
				list.append(item);
			}
			parts.push(el("h4", "", title), list);
		}

		excerpt(row) {
			const file = this.data.files[row.file];
			if (!file || file[row.line] === undefined) return null;
			const pre = el("pre", "excerpt");
			pre.tabIndex = 0;
			pre.setAttribute("aria-label", `Source text around line ${row.line}`);
			const around = window.innerWidth < 640 ? 2 : 4;
			for (let n = row.line - around; n <= row.line + around; n++) {
				if (file[n] === undefined) continue;
				const line = el("span", n === row.line ? "current" : "");
				line.append(el("span", "ln", String(n)), el("span", "text", file[n]));
				pre.append(line);
			}
			return pre;
		}
	}

	const pictures = [...document.querySelectorAll(".picture")].map((root) =>
		new Picture(root, JSON.parse(root.parentElement.querySelector(".data").textContent)));
	const help = document.querySelector("dialog.help");
	const openHelp = () => { if (!help.open) help.showModal(); };
	document.querySelector(".help-button").addEventListener("click", openHelp);

	// current returns the number of the picture that has the focus, or was the last to have it.
	let latest = 0;
	const current = () => {
		const i = pictures.findIndex((p) => p.root.contains(document.activeElement));
		if (i >= 0) latest = i;
		return latest;
	};
	document.addEventListener("focusin", current);
	document.addEventListener("keydown", (e) => {
		if (help.open || e.ctrlKey || e.metaKey || e.altKey) return;
		if (e.key === "?") {
			e.preventDefault();
			openHelp();
			return;
		}
		if (pictures.length === 0) return;
		const step = { "]": 1, "[": -1 }[e.key];
		if (step) {
			latest = (current() + step + pictures.length) % pictures.length;
			pictures[latest].list.focus({ preventScroll: true });
			pictures[latest].root.closest(".check").scrollIntoView({ block: "start" });
			return;
		}
		const p = pictures[current()];
		if (p.key(e, false)) p.list.focus({ preventScroll: true });
	});

	// On paper the lanes have another width.
	const redraw = () => pictures.forEach((p) => p.draw());
	window.addEventListener("beforeprint", () => {
		document.body.classList.add("printing");
		redraw();
	});
	window.addEventListener("afterprint", () => {
		document.body.classList.remove("printing");
		redraw();
	});
	document.fonts.ready.then(redraw);
})();
