import { expect, it } from 'vitest'
import type { ThreadState } from '#shared/model/thread.ts'
import { transcriptPage } from './transcript-page.ts'

const user = (text: string) => ({ role: 'user', origin: 'person', content: [{ type: 'text', text }] })
const agent = (...content: readonly object[]) => ({ role: 'assistant', content })
const said = (text: string) => agent({ type: 'text', text })

function pageOf(messages: readonly object[], more: object = {}, prepare = (text: string) => text): string {
  const thread = { id: 't1', agent: 'main', title: 'Fix <it>', parent: null, messages, calls: new Map(), ...more }
  const child = { ...thread, id: 't2', agent: 'tester', parent: { threadId: 't1', handle: 'subagent_0' }, messages: [] }
  return transcriptPage([thread, child] as unknown as readonly ThreadState[], prepare, {
    files: [],
    checks: [],
    lanes: [],
  })
}

it('shows what was typed as it was typed, what an agent wrote as Markdown, and links to each agent', () => {
  const page = pageOf([user('*a* <b>\n  c'), said('## Plan\n\n- one `x`\n\n| a | b |\n|---|---|\n| 1 | 2 |')])
  expect(page).toContain('<title>Fix &lt;it&gt;</title>')
  expect(page).toContain('<p class="typed">*a* &lt;b&gt;\n  c</p>')
  expect(page).toMatch(/<h2>Plan<\/h2>\s*<ul>\s*<li>one <code>x<\/code><\/li>/)
  expect(page).toContain('<td>1</td>')
  expect(page).toContain('<a href="#thread-t2">Subagent tester (subagent_0)</a>')
})

// Mutation: leave out the renderer of tags, images or links.
it.each([
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '[x](javascript:alert(1))',
  '[x](java\u0000script:alert(1))',
  '[x](data:text/html,<script>alert(1)</script>)',
  '![x](https://track.example/pixel.png)',
  '![" onerror="alert(1)](x)',
  '[a](https://x.example/"onmouseover="alert(1))',
  '```\n</pre><script>alert(1)</script>\n```',
  '```"><script>alert(1)</script>\ncode\n```',
  '<style>*{display:none}</style>',
  '<!-- --><iframe src=x>',
])('runs and loads nothing of what was said: %j', (text) => {
  const call = {
    name: text,
    input: { text },
    state: { kind: 'finished', result: { outcome: 'ok', content: [{ type: 'text', text }] } },
  }
  const calls = new Map([['c', call]])
  const page = pageOf([user(text), said(text), agent({ type: 'tool_call', callId: 'c', name: text })], {
    calls,
    title: text,
  })
  const body = page.slice(page.indexOf('<body>'))
  const tags = [...body.matchAll(/<(\w+)((?:[^>"]|"[^"]*")*)>/g)]
  const names = new Set(tags.map(([, name]) => name))
  for (const name of ['script', 'img', 'iframe', 'style']) expect(names).not.toContain(name)
  for (const [, , attributes = ''] of tags) expect(attributes).not.toMatch(/(?:^|\s)on\w+\s*=|javascript:|data:/i)
})

it('holds pictures itself, and opens tool calls', () => {
  const png = { type: 'image', mediaType: 'image/png', data: 'aGk=' }
  const odd = { ...png, data: '"><script>' }
  const content = [{ type: 'text', text: 'done & <dusted>' }]
  const call = {
    name: 'execute',
    input: { command: 'ls' },
    state: { kind: 'finished', result: { outcome: 'error', content } },
  }
  const page = pageOf(
    [
      { role: 'user', origin: 'person', content: [png, odd] },
      agent({ type: 'tool_call', callId: 'c', name: 'execute' }),
    ],
    {
      calls: new Map([['c', call]]),
    },
  )
  expect(page).toContain('<img src="data:image/png;base64,aGk=" alt="[image/png image]">')
  expect(page).toContain('<p>[image/png image]</p>')
  expect(page).toContain('<summary>execute <span class="error">error</span></summary>')
  expect(page).toContain('done &amp; &lt;dusted&gt;')
})

it('replaces what it is told to in every text', () => {
  const calls = new Map([
    [
      'c',
      {
        name: 'x',
        input: { key: 'SECRET' },
        state: { kind: 'finished', result: { outcome: 'ok', content: [{ type: 'text', text: 'SECRET' }] } },
      },
    ],
  ])
  const all = [user('SECRET'), said('a **SECRET** b'), agent({ type: 'tool_call', callId: 'c', name: 'x' })]
  const page = pageOf(all, { calls, title: 'SECRET' }, (text) => text.replaceAll('SECRET', '[…]'))
  expect(page).not.toContain('SECRET')
})
