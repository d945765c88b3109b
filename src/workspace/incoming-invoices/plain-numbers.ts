/** Normalises a number for comparison: upper-case letters and digits only. */
export const plain = (number: string) => number.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '')
