package dev.tollgate.core.storage.s3;

import dev.tollgate.core.aws.AwsCredentials;
import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.storage.BlobName;
import java.time.Duration;

/**
 * Endpoint, access keys and timeouts of an S3-compatible bucket.
 *
 * @param endpoint with the bucket in its host name, unless the path has it
 * @param pathPrefix the prefix of all paths: empty, or {@code /bucket}
 * @param urlTtl how long signed URLs are valid
 * @param timeout how long storing or deleting may take, retries included
 */
public record S3Bucket(
    EndpointIdentity endpoint,
    String pathPrefix,
    AwsCredentials keys,
    Duration urlTtl,
    Duration timeout) {
  /** Returns the bucket of a service, addressed by host name or by path. */
  public static S3Bucket of(
      EndpointIdentity service,
      String bucket,
      Addressing addressing,
      AwsCredentials keys,
      Duration urlTtl,
      Duration timeout) {
    return switch (addressing) {
      case PATH -> new S3Bucket(service, "/" + bucket, keys, urlTtl, timeout);
      case HOST -> {
        var own =
            new EndpointIdentity(service.tls(), bucket + "." + service.host(), service.port());
        yield new S3Bucket(own, "", keys, urlTtl, timeout);
      }
    };
  }

  /** Position of the bucket's name in URLs. */
  public enum Addressing {
    HOST,
    PATH
  }

  /** Returns the path of an object; names need no encoding. */
  String path(BlobName name) {
    return pathPrefix + "/" + name;
  }

  @Override
  public String toString() {
    return endpoint + pathPrefix;
  }
}
