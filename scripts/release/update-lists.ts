/**
 * One list of updates from those that two machines made for one system, each with the files of its processor. The app
 * chooses its own file by the name. Throws when the lists are of different versions or have no files.
 */
export function mergeLists(lists: readonly string[]): string {
  const [first = '', ...others] = lists
  const more = others.map((list) => {
    if (versionOf(list) !== versionOf(first)) throw new Error('The lists of updates are of different versions.')
    return filesOf(list)
  })
  const own = filesOf(first)
  return first.replace(own, () => [own, ...more].join(''))
}

function versionOf(list: string): string | undefined {
  return /^version: (.+)$/m.exec(list)?.[1]
}

function filesOf(list: string): string {
  const files = /^files:\n((?: +.*\n)+)/m.exec(list)?.[1]
  if (files === undefined) throw new Error('A list of updates names no files.')
  return files
}
