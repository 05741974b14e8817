import { type AreaName, areas, partsOf } from '../bench/src/areas.ts'

/** What a call of `npm run bench` asks for. */
export type BenchRequest =
  | { readonly kind: 'help' }
  /** Sentences for the person, without the help. */
  | { readonly kind: 'refused'; readonly problem: string }
  /** `flags` go to the file of each area as they are. */
  | { readonly kind: 'measure'; readonly areas: readonly AreaName[]; readonly flags: readonly string[] }

const partFlag = '--only='

/** Reads the arguments, so that a wrong one is refused before anything is built or measured. */
export function readBenchArguments(args: readonly string[]): BenchRequest {
  if (args.includes('--help') || args.includes('-h')) return { kind: 'help' }
  const flags = args.filter((arg) => arg === '--quick' || /^--(only|beside)=/.test(arg))
  const named = args.filter((arg) => !flags.includes(arg))
  const unknown = named.find((arg) => !isArea(arg))
  if (unknown !== undefined) {
    const problem = `There is no area "${unknown}". Areas: ${Object.keys(areas).join(', ')}.`
    return { kind: 'refused', problem }
  }
  const chosen = [...new Set(named.filter(isArea))]
  const problem = partProblem(chosen, flags)
  if (problem !== undefined) return { kind: 'refused', problem }
  return { kind: 'measure', areas: withFollowing(chosen, flags), flags }
}

/** Why the part cannot be measured; undefined when it can, or when none is named. */
function partProblem(chosen: readonly AreaName[], flags: readonly string[]): string | undefined {
  const parts = flags.flatMap((flag) => (flag.startsWith(partFlag) ? [flag.slice(partFlag.length)] : []))
  const [part] = parts
  if (part === undefined) return undefined
  const [area] = chosen
  if (area === undefined || chosen.length > 1) return `${partFlag}PART needs one area.\n${describeParts()}`
  const list = describePartsOf(area)
  if (parts.length > 1) return `${partFlag}PART can be given once. ${list}`
  return partsOf(area).includes(part) ? undefined : `There is no part "${part}" of ${area}. ${list}`
}

function describePartsOf(area: AreaName): string {
  const parts = partsOf(area)
  return parts.length === 0
    ? `The area ${area} has no parts: measure it without ${partFlag}PART.`
    : `Parts of ${area}: ${parts.join(', ')}.`
}

/** One line for each area that has parts, for the help. */
export function describeParts(): string {
  return areaNames
    .filter((area) => partsOf(area).length > 0)
    .map((area) => `  ${area.padEnd(10)} ${partsOf(area).join(', ')}`)
    .join('\n')
}

/** One line for each area, for the help. */
export function describeAreas(): string {
  return areaNames.map((area) => `  ${area.padEnd(10)} ${areas[area].about}`).join('\n')
}

const areaNames = Object.keys(areas).filter(isArea)

function isArea(name: string): name is AreaName {
  return Object.hasOwn(areas, name)
}

/** All areas when none is named. The time to open a folder belongs to the workspace, but has its own area of figures. */
function withFollowing(named: readonly AreaName[], flags: readonly string[]): readonly AreaName[] {
  if (named.length === 0) return areaNames
  const followed = named.flatMap((area): AreaName[] =>
    area === 'workspace' && flags.length === 0 ? ['workspace', 'open'] : [area],
  )
  return [...new Set(followed)]
}
