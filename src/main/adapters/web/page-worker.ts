import { parentPort } from 'node:worker_threads'

/** What the worker gets and answers. */
export interface PageToConvert {
  readonly html: string
  /** Links are told as they lead from here. */
  readonly address: string
}
export type ConvertedPage =
  | { readonly kind: 'converted'; readonly markdown: string }
  | { readonly kind: 'broken'; readonly message: string }

/** The packages are loaded with the page. The caller ends the thread afterwards. */
parentPort?.once('message', (page: PageToConvert) => {
  void convert(page).then((answer) => parentPort?.postMessage(answer))
})

async function convert({ html, address }: PageToConvert): Promise<ConvertedPage> {
  try {
    const [{ default: Turndown }, { gfm }] = await Promise.all([
      import('turndown'),
      import('@truto/turndown-plugin-gfm'),
    ])
    const service = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' })
    service.use(gfm)
    service.addRule('links', {
      filter: (node) => node.nodeName === 'A',
      replacement: (text, node) => linkTo(text, 'getAttribute' in node ? node.getAttribute('href') : null, address),
    })
    service.addRule('pictures', {
      filter: 'img',
      replacement: (_, node) =>
        'getAttribute' in node && node.getAttribute('alt') ? `![${node.getAttribute('alt')}]` : '',
    })
    // The last rule comes first.
    service.addRule('left out', {
      filter: (node) => leftOut.has(node.nodeName.toLowerCase()) || isHidden(node),
      replacement: () => '',
    })
    const title = /<title[^>]*>([^<]{1,1000})/i.exec(html)?.[1]?.trim()
    const body = service.turndown(html).replace(/\n{3,}/g, '\n\n')
    return { kind: 'converted', markdown: [...(title ? [`# ${service.turndown(title)}`] : []), body].join('\n\n') }
  } catch (error) {
    return { kind: 'broken', message: error instanceof Error ? error.message : String(error) }
  }
}

/** What is no text of a page, and what leads around it. */
const leftOut: ReadonlySet<string> = new Set([
  ...[
    'script',
    'style',
    'noscript',
    'template',
    'iframe',
    'object',
    'embed',
    'svg',
    'canvas',
    'audio',
    'video',
    'title',
  ],
  ...['nav', 'footer', 'aside', 'dialog', 'button', 'input', 'select', 'textarea'],
])

/** What a person would not see, an agent is not told: there stands what only agents are to obey. */
function isHidden(node: HTMLElement): boolean {
  if (node.hasAttribute('hidden') || node.getAttribute('aria-hidden') === 'true') return true
  const style = node.getAttribute('style')?.replace(/\s/g, '').toLowerCase() ?? ''
  return /(^|;)(display:none|visibility:hidden|opacity:0(\.0*)?(;|$)|font-size:0)/.test(style)
}

function linkTo(text: string, href: string | null, address: string): string {
  const shown = text.replace(/\s+/g, ' ').trim()
  if (shown === '') return ''
  const to = href === null || href.startsWith('#') ? null : URL.parse(href, address)
  return to && /^https?:$/.test(to.protocol) ? `[${shown}](${to.href})` : shown
}
