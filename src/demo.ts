export async function demo(_: string[]) {}
