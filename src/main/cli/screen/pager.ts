import { spawn } from 'node:child_process'

/** Shows a text in `$PAGER`, or in `less`. Resolves to false when there is none. */
export function showInPager(text: string, environment: NodeJS.ProcessEnv): Promise<boolean> {
  const pager = environment.PAGER || 'less'
  return new Promise((resolve) => {
    const child = spawn(pager, {
      shell: true,
      stdio: ['pipe', 'inherit', 'inherit'],
      // Colours are shown, and a text that fits the screen needs no key.
      env: { LESS: 'FRX', ...environment },
    })
    child.on('error', () => resolve(false))
    // 127 is a shell's code for a program that it does not find.
    child.on('exit', (code) => resolve(code !== 127))
    // The person may leave before the end.
    child.stdin.on('error', () => undefined)
    child.stdin.end(text)
  })
}
