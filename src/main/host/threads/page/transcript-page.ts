import { Marked } from 'marked'
import { type Call, derivedCallsOf, resultOf } from '#shared/model/calls/call.ts'
import type { AssistantPart, ImagePart, Message, ToolCallPart, UserPart } from '#shared/model/message.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { escapeControls } from '#shared/text/control-characters.ts'
import { escapeHtml, type Show } from './html.ts'
import type { ReviewFacts } from './review-facts.ts'
import { callAnchor, reviewSections, reviewStyle } from './review-sections.ts'

/**
 * A thread and its subagents as a page that is a single file: what changed, the checks, the branches and the conversation. It
 * loads nothing and runs nothing, whatever agents and tools have said. `prepare` changes each text before it is shown, such as by
 * replacing secrets.
 */
export function transcriptPage(
  family: readonly ThreadState[],
  prepare: (text: string) => string,
  facts: ReviewFacts,
): string {
  const show: Show = (text) => escapeHtml(escapeControls(prepare(text)))
  const title = show(family[0]?.title ?? '')
  const agents = family.map((thread) => `<li><a href="#${idOf(thread)}">${show(nameOf(thread))}</a></li>`)
  const threads = family.map((thread) => threadSection(thread, show, prepare))
  const review = reviewSections(facts, show)
  const parts = [...review.matchAll(/<section id="(\w+)">\n<h2>(\w+)<\/h2>/g)].map(
    ([, id, name]) => `<a href="#${id}">${name}</a>`,
  )
  const first = family[0]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${title}</title>
<style>${style}${reviewStyle}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${parts.length > 0 && first ? `<nav class="parts" aria-label="Parts">${parts.join(' ')} <a href="#${idOf(first)}">Conversation</a></nav>` : ''}
${review}
${family.length > 1 ? `<nav aria-label="Agents"><ol>\n${agents.join('\n')}\n</ol></nav>` : ''}
${threads.join('\n')}
</main>
</body>
</html>
`
}

function threadSection(thread: ThreadState, show: Show, prepare: (text: string) => string): string {
  const markdown = (text: string) => toHtml(escapeControls(prepare(text)))
  const messages = thread.messages.map((message) => messageArticle(thread, message, { show, markdown }))
  const heading = thread.parent ? `<h2>${show(nameOf(thread))}</h2>` : ''
  return `<section id="${idOf(thread)}">\n${heading}\n${messages.join('\n')}\n</section>`
}

function nameOf({ agent, parent }: ThreadState): string {
  return parent ? `Subagent ${agent} (${parent.handle})` : agent
}

/** Ids are made by the app, of letters and digits. */
function idOf({ id }: ThreadState): string {
  return `thread-${id.replace(/[^\w-]/g, '')}`
}

interface Forms {
  readonly show: Show
  readonly markdown: (text: string) => string
}

const speakers = { person: 'User', parent: 'Task', notice: 'Notice' } as const

function messageArticle(thread: ThreadState, message: Message, forms: Forms): string {
  const speaker = message.role === 'user' ? speakers[message.origin] : 'Agent'
  const parts =
    message.role === 'user'
      ? message.content.map((part) => userPart(part, forms))
      : message.content.map((part) => assistantPart(thread, part, forms))
  return `<article class="${speaker.toLowerCase()}">\n<h3>${speaker}</h3>\n${parts.filter(Boolean).join('\n')}\n</article>`
}

/** What people typed is shown as they typed it. */
function userPart(part: UserPart, { show }: Forms): string {
  return part.type === 'image' ? image(part) : `<p class="typed">${show(part.text)}</p>`
}

function image({ mediaType, data }: ImagePart): string {
  const name = `[${mediaType} image]`
  return /^[\w+/=]*$/.test(data) ? `<img src="data:${mediaType};base64,${data}" alt="${name}">` : `<p>${name}</p>`
}

function assistantPart(thread: ThreadState, part: AssistantPart, forms: Forms): string {
  if (part.type === 'text') return forms.markdown(part.text)
  return part.type === 'tool_call' ? toolCall(thread, part, forms) : ''
}

/** A call by the model, with the call that the loop derived from it. */
function toolCall({ calls }: ThreadState, { name, callId }: ToolCallPart, forms: Forms): string {
  const call = calls.get(callId)
  const derived = call ? derivedCallsOf(call).flatMap((one) => calls.get(one) ?? []) : []
  return [
    callDetails(name, call, forms, callId),
    ...derived.map((one) => callDetails(one.name, one, forms, null)),
  ].join('\n')
}

function callDetails(name: string, call: Call | undefined, { show }: Forms, callId: string | null): string {
  const result = resultOf(call)
  const input = JSON.stringify(call?.input ?? {}, null, 2)
  const told = (result?.content ?? []).map((part) =>
    part.type === 'text' ? `<pre>${show(part.text)}</pre>` : image(part),
  )
  const outcome = result?.outcome ?? 'none'
  const summary = `${show(name)} <span class="${outcome}">${show(outcome)}</span>`
  const anchor = callId === null ? '' : ` id="${callAnchor(callId)}"`
  return `<details${anchor}>\n<summary>${summary}</summary>\n<pre>${show(input)}</pre>\n${told.join('\n')}\n</details>`
}

/** Markdown of a model. Tags in it are text, an image is its name, and a link leads to the web or nowhere. */
const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => escapeHtml(text),
    image: ({ text, href }) => escapeHtml(`[image: ${text || href}]`),
    link({ href, tokens }) {
      const words = this.parser.parseInline(tokens)
      return /^(?:https?|mailto):/i.test(href) ? `<a href="${escapeHtml(href)}" rel="noreferrer">${words}</a>` : words
    },
  },
})

function toHtml(markdown: string): string {
  return marked.parse(markdown, { async: false })
}

const style = `
:root { color-scheme: light dark; --muted: light-dark(#5c6370, #9aa1ad); --line: light-dark(#d9dce1, #33373f); --panel: light-dark(#f5f6f8, #1b1e23) }
body { margin: 0; background: light-dark(#fff, #14161a); color: light-dark(#1b1e23, #e4e7eb); font: 15px/1.55 system-ui, sans-serif }
main { max-width: 52rem; margin: 0 auto; padding: 2rem 1rem 4rem }
h1 { font-size: 1.4rem } h2 { font-size: 1.15rem; margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1.5rem }
h3 { margin: 0 0 .25rem; font-size: .8rem; font-weight: 600; color: var(--muted) }
article { padding: .75rem 0; overflow-wrap: anywhere }
article.user, article.task { background: var(--panel); border-radius: .5rem; padding: .75rem 1rem }
article.notice { color: var(--muted) }
.typed { margin: 0; white-space: pre-wrap }
pre { margin: .5rem 0; padding: .6rem .75rem; overflow-x: auto; background: var(--panel); border: 1px solid var(--line); border-radius: .4rem; font: 13px/1.5 ui-monospace, monospace }
details { margin: .4rem 0; border-left: 2px solid var(--line); padding-left: .75rem } summary { cursor: pointer; font: 13px ui-monospace, monospace }
summary span { color: var(--muted) } summary .error, summary .rejected { color: light-dark(#b3261e, #ff8a80) }
h3 + * { margin-top: 0 } table { border-collapse: collapse; margin: .75rem 0 } th, td { border: 1px solid var(--line); padding: .25rem .5rem } img { max-width: 100% } a { color: light-dark(#0b57d0, #8ab4f8) }
nav ol { columns: 16rem } @media print { details::details-content { display: block; content-visibility: visible } }`
