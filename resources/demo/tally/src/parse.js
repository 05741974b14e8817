/** One expense per line: `2026-01-02 12.50 coffee beans`. Empty lines and lines that start with # are skipped. */
export function parse(text) {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [date, amount, ...what] = line.trim().split(/\s+/)
      return { date, amount: Number(amount), what: what.join(' ') }
    })
}
