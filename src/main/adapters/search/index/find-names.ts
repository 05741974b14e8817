import { byRank, type PathRank } from '#core/paths/rank-paths.ts'
import { joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { namesOf } from './folder-table.ts'
import type { NamedFolder } from './names-list.ts'

/** Finds the same paths as `rankPaths`, in the same order, but looks at all names of a folder at once. */
export function findNames(folders: Iterable<NamedFolder>, text: string, limit: number): readonly VirtualPath[] {
  const wanted = text.toLowerCase()
  const tail = wanted.slice(wanted.lastIndexOf('/') + 1)
  const best = createBest(limit)
  for (const folder of folders) {
    const above = folder.path === '/' ? '/' : `${folder.path.toLowerCase()}/`
    if (above.includes(wanted)) eachName(folder, (name) => best.add(folder, name, scoreOf(name, wanted)))
    else if (tail === wanted) addHits(folder, wanted, best)
    else if (tail !== '' && above.endsWith(wanted.slice(0, -tail.length)))
      eachName(folder, (name) => name.toLowerCase().startsWith(tail) && best.add(folder, name, 2))
  }
  return best.paths()
}

function scoreOf(name: string, wanted: string): number {
  const place = name.toLowerCase().indexOf(wanted)
  return place === 0 ? 0 : place > 0 ? 1 : 2
}

function eachName(folder: NamedFolder, act: (name: string) => void): void {
  for (const name of namesOf(folder)) act(name)
}

function addHits(folder: NamedFolder, wanted: string, best: ReturnType<typeof createBest>): void {
  const { names } = folder
  const lower = names.toLowerCase()
  if (lower.length !== names.length) {
    eachName(folder, (name) => {
      const score = scoreOf(name, wanted)
      if (score < 2) best.add(folder, name, score)
    })
    return
  }
  for (let at = lower.indexOf(wanted); at >= 0; ) {
    const start = at === 0 ? 0 : names.lastIndexOf('\0', at - 1) + 1
    const end = names.indexOf('\0', at)
    const score = at === start ? 0 : 1
    if (end - at >= wanted.length && best.takes(folder, end - start, score))
      best.add(folder, names.slice(start, end), score)
    at = lower.indexOf(wanted, end + 1)
  }
}

/** Keeps the best hits. A hit that cannot be among them costs no path. */
function createBest(limit: number) {
  const best: PathRank[] = []
  return {
    /** False for a name of this length that cannot be among the best. */
    takes({ path }: NamedFolder, length: number, score: number): boolean {
      const worst = best.length >= limit ? best.at(-1) : undefined
      const whole = path.length + length + (path === '/' ? 0 : 1)
      return !worst || (score - worst.score || whole - worst.path.length) <= 0
    },
    add(folder: NamedFolder, name: string, score: number): void {
      if (!this.takes(folder, name.length, score)) return
      const hit = { path: joinPath(folder.path, name), score }
      const place = best.findIndex((other) => byRank(hit, other) < 0)
      if (place < 0 && best.length >= limit) return
      best.splice(place < 0 ? best.length : place, 0, hit)
      if (best.length > limit) best.pop()
    },
    paths: () => best.map(({ path }) => path),
  }
}
