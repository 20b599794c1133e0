package dev.tollgate.core.id;

/**
 * Pattern of model names: {@code *} stands for any characters, also for none and for a slash; every
 * other character stands for itself, in its letter case (docs/decisions/models.md#patterns).
 */
public final class ModelGlob {
  private static final char ANY = '*';

  private ModelGlob() {}

  /** True if a text is a pattern and no single name. */
  public static boolean isGlob(String text) {
    return text.indexOf(ANY) >= 0;
  }

  /** True if a name is of a pattern; a pattern without a star is the name itself. */
  public static boolean matches(String glob, String name) {
    int at = 0;
    int star = -1; // the last one seen, which takes as many characters as it must
    int taken = 0;
    int i = 0;
    while (i < name.length()) {
      if (at < glob.length() && glob.charAt(at) == ANY) {
        star = at++;
        taken = i;
      } else if (at < glob.length() && glob.charAt(at) == name.charAt(i)) {
        at++;
        i++;
      } else if (star >= 0) {
        at = star + 1;
        i = ++taken;
      } else {
        return false;
      }
    }
    while (at < glob.length() && glob.charAt(at) == ANY) {
      at++;
    }
    return at == glob.length();
  }

  /** True if a name is an id of these models, or a pattern of at least one. */
  public static boolean matchesAny(String glob, Iterable<ModelId> models) {
    for (ModelId model : models) {
      if (matches(glob, model.toString())) {
        return true;
      }
    }
    return false;
  }
}
