import { createRoot } from 'react-dom/client'
import { Streamdown } from 'streamdown'

const root = createRoot(document.body.appendChild(document.createElement('main')))
let [text, shown] = ['', '']

/** Gives Streamdown the text so far once a frame, and stays at its end. The page does nothing else. */
globalThis.startPeer = (streams) => {
  for (let count = 0; count < streams; count += 1) void follow()
  draw()
}

function draw(): void {
  if (shown !== text) {
    shown = text
    root.render(<Streamdown>{shown}</Streamdown>)
    scrollTo(0, document.documentElement.scrollHeight)
  }
  requestAnimationFrame(draw)
}

async function follow(): Promise<void> {
  const { body } = await fetch('/stream')
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  for (let rest = ''; reader; ) {
    const { done, value } = await reader.read()
    if (done) return
    const events = (rest + value).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) text += JSON.parse(event.slice(event.indexOf('data: ') + 6)).delta?.text ?? ''
  }
}
