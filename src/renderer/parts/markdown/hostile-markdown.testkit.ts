/** Markdown that nests or repeats one mark `count` times. A parser needs quadratic time or a deep stack for some of it. */
export const hostileMarkdown: Readonly<Record<string, (count: number) => string>> = {
  quotations: (count) => `${'> '.repeat(count)}x`,
  'quotations without spaces': (count) => `${'>'.repeat(count)}x`,
  'lists on one line': (count) => `${'- '.repeat(count)}x`,
  'numbered lists on one line': (count) => `${'1. '.repeat(count)}x`,
  'quotations in lists': (count) => `${'- > '.repeat(count)}x`,
  'lists by indentation': (count) =>
    Array.from({ length: Math.min(count, 600) }, (_, depth) => `${' '.repeat(2 * depth)}- x`).join('\n'),
  'lists by tabs': (count) =>
    Array.from({ length: Math.min(count, 600) }, (_, depth) => `${'\t'.repeat(depth)}- x`).join('\n'),
  emphasis: (count) => `${'*_'.repeat(count)}x${'_*'.repeat(count)}`,
  'bold words': (count) => `${'**a '.repeat(count)}x${' b**'.repeat(count)}`,
  'bold words over lines': (count) => `${'**a\n'.repeat(count)}x${'\nb**'.repeat(count)}`,
  'struck words': (count) => '~~a ~'.repeat(count),
  brackets: (count) => `${'['.repeat(count)}x${']'.repeat(count)}`,
  links: (count) => `${'['.repeat(count)}x${'](a)'.repeat(count)}`,
  images: (count) => `${'!['.repeat(count)}x${'](a)'.repeat(count)}`,
  'marks behind a false fence': (count) => `<!--\n\`\`\`\n-->\n\n${'!['.repeat(count)}x${'](a)'.repeat(count)}`,
  'marks behind an inner fence': (count) => `> \`\`\`\n\n${'!['.repeat(count)}x${'](a)'.repeat(count)}`,
  'marks behind a fence with ticks': (count) => `\`\`\` a\`b\n${'!['.repeat(count)}x${'](a)'.repeat(count)}`,
  'lines of a quotation without its mark': (count) => `> a\n${'b\n'.repeat(count)}`,
  'lines of an item without its indentation': (count) => `- a\n${'b\n'.repeat(count)}`,
  HTML: (count) => '<div>'.repeat(count),
  ticks: (count) => Array.from({ length: count }, (_, at) => `${'`'.repeat((at % 90) + 1)}a`).join(''),
  columns: (count) => `${'|a'.repeat(count)}|\n${'|-'.repeat(count)}|\n`,
  rows: (count) => `|a|\n|-|\n${'|b|\n'.repeat(count)}`,
  definitions: (count) => Array.from({ length: count }, (_, at) => `[a${at}]: b`).join('\n'),
  'short rows of a wide table': (count) =>
    `${'|a'.repeat(count / 10)}\n${'|-'.repeat(count / 10)}\n${'|a\n'.repeat(count / 2)}`,
  'short rows of a wide quoted table': (count) =>
    `> ${'|a'.repeat(count / 10)}\n> ${':-|'.repeat(count / 10)}\n${'> a\n'.repeat(count / 2)}`,
}
