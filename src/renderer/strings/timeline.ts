import { plural } from '#shared/text/plural.ts'

export const timelineStrings = {
  title: 'Timeline',
  follow: 'Follow now',
  zoomIn: 'Zoom in (Ctrl+wheel)',
  zoomOut: 'Zoom out (Ctrl+wheel)',
  fit: 'Fit all',
  group: (count: number) => plural(count, 'branch', 'branches'),
  unfold: (count: number) => `Show a lane for each of ${plural(count, 'branch', 'branches')}`,
  fold: 'Fold these lanes into one',
} as const
