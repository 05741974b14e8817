/**
 * The smallest part of some things that still passes: taking any one of them away fails (1-minimal). All of them must pass.
 * Tries to leave out halves first, then smaller and smaller parts (delta debugging, Zeller and Hildebrandt 2002), so it needs
 * about `n` tries when little is needed, and at worst about `n²`. Rejects with what `passes` throws.
 */
export async function minimise(
  all: readonly number[],
  passes: (kept: readonly number[]) => Promise<boolean>,
): Promise<readonly number[]> {
  let kept = all
  let parts = 2
  const failed = new Set<string>()
  while (kept.length > 0) {
    parts = Math.min(parts, kept.length)
    const rest = await firstPassing(split(kept, parts), kept, failed, passes)
    if (rest !== null) {
      kept = rest
      parts = Math.max(parts - 1, 2)
    } else if (parts === kept.length) return kept
    else parts *= 2
  }
  return kept
}

async function firstPassing(
  parts: readonly (readonly number[])[],
  kept: readonly number[],
  failed: Set<string>,
  passes: (kept: readonly number[]) => Promise<boolean>,
): Promise<readonly number[] | null> {
  for (const part of parts) {
    const gone = new Set(part)
    const rest = kept.filter((one) => !gone.has(one))
    const key = rest.join()
    if (failed.has(key)) continue
    if (await passes(rest)) return rest
    failed.add(key)
  }
  return null
}

function split(all: readonly number[], parts: number): readonly (readonly number[])[] {
  return Array.from({ length: parts }, (_, part) =>
    all.slice(Math.floor((part * all.length) / parts), Math.floor(((part + 1) * all.length) / parts)),
  )
}
