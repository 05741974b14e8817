/** To be awaited in loops of short work: lets everything else in the process go on whenever the loop had its time. */
export type Pace = () => Promise<void> | undefined
