/** Reversible changes of trees, as every part of the app names them. They belong to the overlay. */
export {
  compose,
  composeAll,
  emptyPatch,
  invert,
  type Patch,
  type PatchStep,
  sameEntry,
  sameNode,
  toPatch,
} from '#overlay'
