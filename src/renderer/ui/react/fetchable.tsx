import { type ComponentType, lazy, type ReactNode, useState } from 'react'

interface Fetchable<Props> {
  readonly Component: (props: Props) => ReactNode
  /** Fetches the code before it is needed. If this fails, it is fetched again when the component is shown. */
  fetch(): void
}

/**
 * A component whose code is fetched when it is first shown, or before. Code that is already there is shown at once:
 * React shows a fallback for any lazy component at first, and then leaves it on screen for 300 ms.
 */
export function fetchable<Props extends object>(load: () => Promise<ComponentType<Props>>): Fetchable<Props> {
  let known: ComponentType<Props> | null = null
  const fetch = async (): Promise<ComponentType<Props>> => {
    known = await load()
    return known
  }
  const Later = lazy(async () => ({ default: await fetch() }))
  return {
    Component: function Fetched(props) {
      const [Shown] = useState<ComponentType<Props>>(() => known ?? Later)
      return <Shown {...props} />
    },
    fetch: () => void fetch().catch(() => undefined),
  }
}
