/** A number as it is compared: letters in capitals and digits, without what people write between them. */
export const plain = (number: string) => number.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '')
