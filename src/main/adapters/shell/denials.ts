/** Finds in what a command says on standard error the lines that tell of something the sandbox keeps it from. */
export interface Denials {
  read(chunk: Buffer): void
  lines(): readonly string[]
}

const told =
  /Permission denied|Read-only file system|Operation not permitted|Network is unreachable|name resolution|resolve host/
const mostLines = 5
const longestLine = 300

export function createDenials(): Denials {
  const found = new Set<string>()
  let rest = ''
  return {
    read(chunk) {
      if (found.size >= mostLines) return
      const lines = (rest + chunk.toString()).split('\n')
      rest = (lines.pop() ?? '').slice(-longestLine)
      for (const line of lines) if (told.test(line) && found.size < mostLines) found.add(line.slice(0, longestLine))
    },
    lines: () => [...found, ...(told.test(rest) && found.size < mostLines ? [rest] : [])],
  }
}
