/** For what scrolls and holds nothing that takes the focus: the keyboard must be able to scroll it too. */
export const reachable = { tabIndex: 0 } as const
