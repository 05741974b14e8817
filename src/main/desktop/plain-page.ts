/** The path of the page that is shown when the window's own page ends again and again. */
export const stoppedPath = '/stopped.html'

/** A page without scripts that says where the log is. Following its link starts the window's own page again. */
export function stoppedPage(logFile: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Coppice</title>
<style>
  :root { color-scheme: light dark; font: 14px/22px system-ui, sans-serif }
  main { max-width: 34rem; margin: 20vh auto 0; padding: 0 1.5rem }
  h1 { font-size: 20px; line-height: 28px; font-weight: 600 }
  code { font-size: 13px; overflow-wrap: anywhere }
</style>
<main>
  <h1>The window stopped several times</h1>
  <p>Your threads and changes are safe: the app keeps them, not this window. Agents go on.</p>
  <p>The log says why: <code>${escapeHtml(logFile)}</code></p>
  <p><a href="/index.html">Show the window again</a></p>
  <p>If it stops each time, quit and start Coppice with <code>--disable-gpu</code>.</p>
</main>
</html>
`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A text as it stands in HTML, in elements and in quoted attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}
