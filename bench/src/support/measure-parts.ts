import { type AreaName, type PartOf, partsOf } from '../areas.ts'
import { onlyPart } from './flags.ts'
import { type Row, report } from './report.ts'

/** Measures and reports every part of an area, one after the other, or the one that `--only` names. */
export async function measureParts<Name extends AreaName>(
  area: Name,
  measures: Readonly<Record<PartOf<Name>, () => Promise<readonly Row[]>>>,
): Promise<void> {
  const known: readonly PartOf<Name>[] = partsOf(area) as readonly PartOf<Name>[]
  const chosen = known.filter((part) => onlyPart === undefined || onlyPart === part)
  if (chosen.length === 0) throw new Error(`There is no part "${onlyPart}" of ${area}. Parts: ${known.join(', ')}`)
  for (const part of chosen) report(area, await measures[part](), part)
}
