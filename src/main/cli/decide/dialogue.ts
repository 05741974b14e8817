import type { DirectClient } from '#host/wiring/direct-client.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import { armingDelay } from '#shared/tools/card.ts'
import type { Keyboard } from '../screen/keyboard.ts'
import type { LiveRegion } from '../screen/live-region.ts'
import { type Line, wrapLine } from '../screen/spans.ts'

/** What a dialogue with a person uses. */
export interface Dialogue {
  readonly region: LiveRegion
  readonly keyboard: Keyboard
  readonly client: DirectClient
  readonly projectId: ProjectId
  readonly columns: () => number
  readonly rows: () => number
  readonly environment: NodeJS.ProcessEnv
  /** Waits so many milliseconds. Rejects when the run is stopped. */
  readonly wait: (milliseconds: number) => Promise<void>
  /** Aborted when the run is stopped. */
  readonly signal: AbortSignal
}

/**
 * Shows the prompt and waits for a key. Keys typed before it stood there are dropped, so nobody approves by accident what
 * has just appeared.
 */
export async function pressArmed(dialogue: Dialogue, prompt: Line): Promise<string> {
  const { region, wait } = dialogue
  region.clear()
  await wait(armingDelay)
  return pressAgain(dialogue, prompt)
}

/** Waits for another key of a prompt that already stood there. */
export async function pressAgain({ region, keyboard, columns, signal }: Dialogue, prompt: Line): Promise<string> {
  region.draw(wrapLine(prompt, Math.max(1, columns() - 1)))
  return (await keyboard.press(signal)).toLowerCase()
}

/** Prints lines for good, broken at the width of the screen. */
export function say({ region, columns }: Pick<Dialogue, 'region' | 'columns'>, lines: readonly Line[]): void {
  region.print(lines.flatMap((line) => wrapLine(line, columns())))
}
