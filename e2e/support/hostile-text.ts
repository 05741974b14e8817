import fc from 'fast-check'
import type { Answer, Call } from '../model-server/scenario.ts'

/**
 * Replies of a model that wants to act in the page: Markdown, HTML, names and arguments. `http://evil.test` must never
 * get a request.
 */
const evil = fc.constantFrom(
  ...[
    'http://evil.test/a',
    '//evil.test/b',
    'https://evil.test',
    'ws://evil.test',
    'file:///etc/passwd',
    'ftp://evil.test',
  ],
  ...[
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\tscript:alert(1)',
    ' javascript:alert(1)',
    '&#106;avascript:alert(1)',
  ],
  ...[
    'javascript&colon;alert(1)',
    '\u0001javascript:alert(1)',
    'vbscript:msgbox(1)',
    'data:text/html,<script>alert(1)</script>',
  ],
  ...[
    'data:image/svg+xml,<svg onload=alert(1)>',
    'blob:evil',
    'app://evil',
    'about:blank',
    '#',
    '?',
    '%0ajavascript:alert(1)',
  ],
)
const tags = fc.constantFrom(
  ...[
    'script',
    'img',
    'svg',
    'iframe',
    'object',
    'embed',
    'form',
    'input',
    'video',
    'audio',
    'details',
    'math',
    'style',
  ],
  ...[
    'link',
    'base',
    'meta',
    'body',
    'a',
    'template',
    'noscript',
    'textarea',
    'title',
    'xmp',
    'plaintext',
    'marquee',
    'select',
  ],
)
const events = fc.constantFrom(
  'onload',
  'onerror',
  'onclick',
  'onfocus',
  'ontoggle',
  'onanimationend',
  'OnErRoR',
  'on\u0000error',
)
const strange = fc.constantFrom(
  ...[
    '\u202e',
    '\u2066',
    '\u200b',
    '\u200d',
    '\ufeff',
    '\u001b[2J',
    '\u001b]0;x\u0007',
    '\u0000',
    '\ud800',
    '\u0301'.repeat(30),
  ],
  ...[
    '&lt;script&gt;',
    '&#x3c;script>',
    '\\<script>',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<?',
    '</',
    '"\'>',
    '``',
    '~~~',
    '$$',
    '\\(',
  ],
)
const word = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'alpha',
      'beta',
      'x',
      '1.',
      '# ',
      '> ',
      '- ',
      '| ',
      '* ',
      '[ ] ',
      '**',
      '_',
      '~~',
      '[^1]',
      ':::',
    ),
  },
  strange,
  fc.string({ unit: 'binary', maxLength: 12 }),
)
const words = fc.array(word, { minLength: 1, maxLength: 8 }).map((all) => all.join(' '))
const depth = fc.constantFrom(1, 3, 20, 100, 400, 3_000)

const element = fc
  .record({ tag: tags, event: events, url: evil, inner: words, closed: fc.boolean() })
  .map(({ tag, event, url, inner, closed }) => {
    const opening = `<${tag} src="${url}" href="${url}" action=${url} ${event}=alert(1) style="background:url(${url})">`
    return closed ? `${opening}${inner}</${tag}>` : opening + inner
  })
const link = fc
  .record({ text: words, url: evil, shape: fc.nat(6) })
  .map(
    ({ text, url, shape }) =>
      [
        `[${text}](${url})`,
        `![${text}](${url})`,
        `[![${text}](${url})](${url})`,
        `<${url}>`,
        `[${text}][ref]\n\n[ref]: ${url} "${text}"`,
        `[${text}](<${url}> '${text}')`,
        `[^1]\n\n[^1]: ${url}`,
      ][shape] ?? url,
  )
const block = fc.oneof(
  element,
  link,
  words,
  fc
    .tuple(fc.constantFrom('html', 'mermaid', 'js', 'diff', 'svg', '"><script>', ''), words, fc.boolean())
    .map(([language, text, closed]) => `\`\`\`${language}\n${text}\n${closed ? '```' : ''}`),
  fc.tuple(depth, words).map(([levels, text]) => `${'> '.repeat(levels)}${text}`),
  fc.tuple(depth, words).map(([levels, text]) => `${'- '.repeat(levels)}${text}`),
  fc.tuple(depth, fc.constantFrom('*', '_', '[', '![', '`', '<b>', '~')).map(([levels, mark]) => mark.repeat(levels)),
  fc
    .tuple(fc.nat(30), words)
    .map(([columns, text]) => `${'| h '.repeat(columns)}|\n${'|---'.repeat(columns)}|\n| ${text} |`),
  fc.tuple(evil, words).map(([url, text]) => `$$\\href{${url}}{${text}}$$`),
  fc.constantFrom('x').map((letter) => letter.repeat(5_000)),
)
const hostileText = fc.array(block, { minLength: 1, maxLength: 6 }).map((blocks) => blocks.join('\n\n'))
const hostileName = fc.oneof(element, strange, words).map((name) => `/${name.replaceAll('/', '-').slice(0, 80)}`)

/** Calls that need no approval, or that no app has. */
const hostileCall: fc.Arbitrary<Call> = fc.oneof(
  fc.record({ name: fc.constant('read_file'), input: fc.record({ file_path: hostileName }) }),
  fc.record({ name: fc.constant('write_file'), input: fc.record({ file_path: hostileName, content: hostileText }) }),
  fc.record({
    name: fc.constant('grep'),
    input: fc.record({ pattern: fc.oneof(words, hostileName), path: hostileName }),
  }),
  fc.record({ name: fc.constant('glob'), input: fc.record({ pattern: fc.oneof(words, hostileName) }) }),
  fc.record({
    name: fc.constant('write_todos'),
    input: fc.record({
      todos: fc.array(fc.record({ content: hostileText, status: fc.constant('pending') }), { maxLength: 3 }),
    }),
  }),
  fc.record({
    name: fc.constantFrom('no_such_tool', 'a'.repeat(60), 'alert-1'),
    input: fc.dictionary(words, hostileText),
  }),
)

export interface HostileReply extends Answer {
  readonly text: string
  readonly calls: readonly Call[]
}

/** The same replies for the same seed. */
export function hostileReplies(count: number, seed: number): readonly HostileReply[] {
  const reply = fc.record({ text: hostileText, calls: fc.array(hostileCall, { minLength: 1, maxLength: 2 }) })
  return fc.sample(reply, { numRuns: count, seed })
}
