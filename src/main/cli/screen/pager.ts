import { terminal } from './terminal.ts'

/** Shows a text in `$PAGER`, or in `less`. Resolves to false when there is none. */
export async function showInPager(text: string): Promise<boolean> {
  const { environment, show } = terminal()
  // Colours are shown, and a text that fits the screen needs no key.
  const end = await show({ line: environment.PAGER || 'less', input: text, environment: { LESS: 'FRX' } })
  // 127 is a shell's code for a program that it does not find.
  return 'code' in end ? end.code !== 127 : false
}
