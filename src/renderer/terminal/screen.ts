import { FitAddon } from '@xterm/addon-fit'
import { type ITheme, Terminal } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import { guardOutput } from './input.ts'

/** The screen of a terminal. It outlives the panel that shows it, so that hiding the panel loses nothing. */
export interface Screen {
  readonly terminal: Terminal
  size(): { readonly columns: number; readonly rows: number }
  /** Shows the screen in `host` until the returned function is called. */
  mount(host: HTMLElement): () => void
  dispose(): void
}

interface ScreenOptions {
  /** True for the output of an agent, where nothing can be typed. */
  readonly readOnly: boolean
  /** Called when a link is clicked. Its address may differ from its text. */
  readonly onLink: (url: string) => void
}

export function createScreen({ readOnly, onLink }: ScreenOptions): Screen {
  const element = document.createElement('div')
  element.className = 'h-full'
  const terminal = new Terminal({
    fontFamily: 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace',
    fontSize: 12,
    cursorBlink: false,
    screenReaderMode: true,
    minimumContrastRatio: 4.5,
    disableStdin: readOnly,
    convertEol: readOnly,
    cursorInactiveStyle: readOnly ? 'none' : 'outline',
    scrollback: 10_000,
    linkHandler: {
      activate: (_event, url) => onLink(url),
      hover: (_event, url) => element.setAttribute('title', url),
      leave: () => element.removeAttribute('title'),
    },
  })
  guardOutput(terminal)
  const fit = new FitAddon()
  terminal.loadAddon(fit)
  return {
    terminal,
    size: () => ({ columns: Math.max(terminal.cols, 2), rows: Math.max(terminal.rows, 2) }),
    mount(host) {
      host.append(element)
      const stopColours = followColours(() => {
        terminal.options.theme = themeNow(element)
      })
      if (!terminal.element) terminal.open(element)
      const observer = new ResizeObserver(() => fit.fit())
      observer.observe(host)
      fit.fit()
      return () => {
        observer.disconnect()
        stopColours()
        element.remove()
      }
    },
    dispose: () => terminal.dispose(),
  }
}

const looks = ['(prefers-color-scheme: dark)', '(forced-colors: active)', '(prefers-contrast: more)']

/** Calls `onChange` now and whenever the colours of the page change, until the returned function is called. */
function followColours(onChange: () => void): () => void {
  const media = looks.map((query) => matchMedia(query))
  const chosen = new MutationObserver(onChange)
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme', 'data-contrast'] })
  for (const one of media) one.addEventListener('change', onChange)
  onChange()
  return () => {
    chosen.disconnect()
    for (const one of media) one.removeEventListener('change', onChange)
  }
}

/** The colours of the page, or of the system where it forces its own. */
function themeNow(element: HTMLElement): ITheme {
  const page = getComputedStyle(document.documentElement)
  const colour = (name: string): string => page.getPropertyValue(name).trim()
  if (!matchMedia('(forced-colors: active)').matches) {
    return {
      background: colour('--canvas'),
      foreground: colour('--text'),
      cursor: colour('--text'),
      selectionBackground: colour('--accent-soft'),
    }
  }
  // The terminal reads only numbers, so a name such as `CanvasText` is worked out here.
  const system = (name: string): string => {
    const probe = document.createElement('span')
    probe.style.color = name
    element.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }
  const [background, foreground] = [system('Canvas'), system('CanvasText')]
  return {
    background,
    foreground,
    cursor: foreground,
    selectionBackground: system('Highlight'),
    selectionForeground: system('HighlightText'),
  }
}
