/**
 * One late answer is no loss: a replica that counted alone for it would spend what the others, who miss nothing, spend
 * too. After as many the guard takes the server for gone, and says so at once from then on.
 */
const TRIES = 3;

/**
 * What a command to the shared accounts answers, tried again when no answer came. Only for commands that say what is so,
 * not what is to be added. Rejects with the last failure.
 */
export async function insist<T>(command: () => Promise<T>, tries = TRIES): Promise<T> {
  try {
    return await command();
  } catch (error) {
    if (tries === 1) throw error;
    return insist(command, tries - 1);
  }
}
