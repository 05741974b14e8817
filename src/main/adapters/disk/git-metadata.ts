/** Code points HFS+ leaves out when it compares names. */
const ignoredByDisks = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** True when any component is `.git` in a spelling that some file system would take for it. Writes there are refused. */
export function namesGitMetadata(path: string): boolean {
  return path.split('/').some((component) => {
    const [name = ''] = component.normalize('NFKC').replace(ignoredByDisks, '').toLowerCase().split(':')
    const bare = name.replace(/[. ]+$/, '')
    return bare === '.git' || bare === 'git~1'
  })
}
