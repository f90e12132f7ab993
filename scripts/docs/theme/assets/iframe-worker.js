// Browsers start no worker for a page on the disk: there the search runs in a frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      const frame = document.createElement("iframe");
      frame.hidden = true;
      const ready = new Promise(resolve => (frame.onload = resolve));
      const begin = "postMessage = data => parent.dispatchEvent(new MessageEvent('worker', { data }));";
      frame.srcdoc = `<script>${begin}<\/script><script src="${url}"><\/script>`;
      document.body.append(frame);
      this.postMessage = data => ready.then(() => frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
      this.terminate = () => frame.remove();
      window.addEventListener("worker", event => {
        const message = new MessageEvent("message", { data: event.data });
        this.dispatchEvent(message);
        this.onmessage?.(message);
      });
    }
  };
}
