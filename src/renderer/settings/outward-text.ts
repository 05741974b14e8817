import type { NotifyTarget } from '#shared/contract/views/settings.ts'

/** An address alone, or a program with an argument in each line. */
export function notifyFrom(text: string): NotifyTarget | null {
  const lines = linesOf(text)
  const [first] = lines
  if (first === undefined) return null
  return lines.length === 1 && /^https?:\/\//i.test(first)
    ? { kind: 'url', url: first }
    : { kind: 'command', command: lines }
}

/** The text that `notifyFrom` reads. */
export function notifyText(notify: NotifyTarget | null): string {
  if (notify === null) return ''
  return notify.kind === 'url' ? notify.url : notify.command.join('\n')
}

/** The lines that hold something, without the spaces around them. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
}
