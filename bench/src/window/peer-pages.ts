/** Every token goes to one text node, once a frame. This is the least that a page can do with a stream. */
export const barePage = `<!doctype html><title>Bare</title>
<style>body { margin: 0; font: 14px sans-serif } main { height: 100vh; overflow: auto; overflow-wrap: anywhere }</style>
<main><p></p></main>
<script>
const node = document.querySelector('p').appendChild(document.createTextNode(''))
let waiting = ''
function flush() {
  node.appendData(waiting)
  waiting = ''
  document.querySelector('main').scrollTop = 1e9
}
function take(token) {
  if (waiting === '') requestAnimationFrame(flush)
  waiting += token
}
function startPeer(streams) {
  for (let count = 0; count < streams; count += 1) void follow()
}
async function follow() {
  const reader = (await fetch('/stream')).body.pipeThrough(new TextDecoderStream()).getReader()
  for (let rest = ''; ; ) {
    const { done, value } = await reader.read()
    if (done) return
    const events = (rest + value).split('\\n\\n')
    rest = events.pop()
    for (const event of events) {
      const { delta } = JSON.parse(event.slice(event.indexOf('data: ') + 6))
      if (delta && delta.text) take(delta.text)
    }
  }
}
</script>`

/** As many nodes with their lines as the graph, drawn once on a canvas of the window's size. */
export const canvasPage = `<!doctype html><title>Canvas</title><canvas width="1440" height="900"></canvas>
<script>
async function drawGraph(nodes) {
  const started = performance.now()
  const context = document.querySelector('canvas').getContext('2d')
  context.clearRect(0, 0, 1440, 900)
  for (let node = 0; node < nodes; node += 1) {
    const [x, y] = [(node * 76) % 1440, Math.floor((node * 76) / 1440) * 44 % 900]
    context.beginPath()
    context.moveTo(x - 76, y)
    context.lineTo(x, y)
    context.arc(x, y, 11, 0, 7)
    context.stroke()
    context.fillText('worked', x, y + 20)
  }
  await new Promise((resolve) => requestAnimationFrame(resolve))
  return performance.now() - started
}
</script>`

/** Lines of a comparison that are all there already. This is the least that a page can do to scroll them. */
export const linesPage = `<!doctype html><title>Lines</title>
<style>
body { margin: 0; font: 12px/20px monospace }
main { height: 100vh; overflow-y: auto }
div { display: flex; height: 20px; background: #dfd }
i { width: 112px; text-align: right; padding-right: 8px; color: #888 }
</style>
<main data-review></main>
<script>
const line = (_, number) => '<div><i>' + number + '</i><span><b>export const</b> value' + number + '</span></div>'
document.querySelector('main').innerHTML = Array.from({ length: 2_500 }, line).join('')
</script>`
