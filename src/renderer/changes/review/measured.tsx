import { type ReactNode, useLayoutEffect, useRef } from 'react'

interface MeasuredProps {
  /** Called before the first paint, and whenever the height changes. In pixels. */
  readonly onHeight: (height: number) => void
  readonly children: ReactNode
}

/** Reports the height of its content. Nothing takes no room, and is not measured. */
export function Measured({ onHeight, children }: MeasuredProps): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  const latest = useRef(onHeight)
  latest.current = onHeight
  const isEmpty = !children
  useLayoutEffect(() => {
    const element = box.current
    if (isEmpty) latest.current(0)
    if (!element) return
    const report = (): void => latest.current(element.offsetHeight)
    report()
    const observer = new ResizeObserver(report)
    observer.observe(element)
    return () => observer.disconnect()
  }, [isEmpty])
  if (isEmpty) return null
  return (
    <div ref={box} className="flow-root">
      {children}
    </div>
  )
}
