import type { AriaRole, ComponentProps, ReactNode } from 'react'

/** A plain box with a role that HTML has no element for, or whose element brings a layout of its own. */
export function AriaElement({ role, ...rest }: ComponentProps<'div'> & { role: AriaRole }): ReactNode {
  return <div role={role} {...rest} />
}
