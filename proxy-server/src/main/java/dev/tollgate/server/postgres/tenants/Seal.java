package dev.tollgate.server.postgres.tenants;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.settings.value.MasterKey;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import org.jspecify.annotations.Nullable;

/**
 * Cipher of webhook secrets and mails in the store: AES-256-GCM under the first master key, with a
 * random 96-bit nonce as prefix, bound to the organization or the mail. Without a key, secrets are
 * stored in the clear. Instances are thread-safe.
 */
public final class Seal {
  private static final String CIPHER = "AES/GCM/NoPadding";
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;

  private final List<MasterKey> keys;
  private final SecureRandom random = new SecureRandom();

  /**
   * @param keys master keys: the first encrypts, all decrypt
   */
  public Seal(List<MasterKey> keys) {
    this.keys = List.copyOf(keys);
  }

  /**
   * Secret as it is stored in a row, sealed or in the clear.
   *
   * @param key the id of the master key that sealed it; null if stored in the clear
   */
  @SuppressWarnings("ArrayRecordComponent") // compared in the database only
  public record StoredSecret(byte[] bytes, @Nullable String key) {}

  /** Result of decrypting a sealed secret. */
  public sealed interface UnsealResult {
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Opened(byte[] secret) implements UnsealResult {}

    /** The secret is sealed with a master key that is not configured. */
    record KeyMissing(String key) implements UnsealResult {}

    /** The secret was not sealed for this purpose, or is damaged. */
    record Damaged() implements UnsealResult {}
  }

  /** Returns the id of the master key that seals; empty if there is no key. */
  Optional<String> activeKeyId() {
    return keys.stream().map(MasterKey::id).findFirst();
  }

  /** Returns the ids of the master keys that open. */
  public List<String> keyIds() {
    return keys.stream().map(MasterKey::id).toList();
  }

  public StoredSecret seal(OrgId org, byte[] secret) {
    return seal(purpose(org), secret);
  }

  /**
   * Returns a secret as it is stored.
   *
   * @param purpose what the secret is, in ASCII; it opens for the same purpose only
   */
  public StoredSecret seal(String purpose, byte[] secret) {
    if (keys.isEmpty()) {
      return new StoredSecret(secret, null);
    }
    MasterKey key = keys.getFirst();
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    try {
      byte[] sealed = cipher(Cipher.ENCRYPT_MODE, key, nonce, purpose).doFinal(secret);
      byte[] bytes = Arrays.copyOf(nonce, NONCE_BYTES + sealed.length);
      System.arraycopy(sealed, 0, bytes, NONCE_BYTES, sealed.length);
      return new StoredSecret(bytes, key.id());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has AES-GCM", e);
    }
  }

  public UnsealResult open(OrgId org, StoredSecret stored) {
    return open(purpose(org), stored);
  }

  public UnsealResult open(String purpose, StoredSecret stored) {
    String id = stored.key();
    if (id == null) {
      return new UnsealResult.Opened(stored.bytes());
    }
    Optional<MasterKey> key = keys.stream().filter(one -> one.id().equals(id)).findFirst();
    return key.isEmpty()
        ? new UnsealResult.KeyMissing(id)
        : open(purpose, stored.bytes(), key.get());
  }

  private static UnsealResult open(String purpose, byte[] bytes, MasterKey key) {
    if (bytes.length < NONCE_BYTES) {
      return new UnsealResult.Damaged();
    }
    byte[] nonce = Arrays.copyOf(bytes, NONCE_BYTES);
    try {
      Cipher cipher = cipher(Cipher.DECRYPT_MODE, key, nonce, purpose);
      return new UnsealResult.Opened(
          cipher.doFinal(bytes, NONCE_BYTES, bytes.length - NONCE_BYTES));
    } catch (AEADBadTagException e) {
      return new UnsealResult.Damaged();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has AES-GCM", e);
    }
  }

  /** The words separate these secrets from any other use of the master key. */
  private static String purpose(OrgId org) {
    return "webhook secret of " + org;
  }

  private static Cipher cipher(int mode, MasterKey key, byte[] nonce, String purpose)
      throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance(CIPHER);
    cipher.init(mode, key.aes(), new GCMParameterSpec(TAG_BITS, nonce));
    cipher.updateAAD(purpose.getBytes(US_ASCII));
    return cipher;
  }
}
