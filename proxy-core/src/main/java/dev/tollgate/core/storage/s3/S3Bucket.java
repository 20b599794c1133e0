package dev.tollgate.core.storage.s3;

import dev.tollgate.core.aws.AwsCredentials;
import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.storage.BlobName;
import java.time.Duration;

/**
 * A bucket and how it is reached.
 *
 * @param endpoint with the bucket in its host name, unless it is in the path
 * @param pathPrefix what its paths begin with: empty, or {@code /bucket}
 * @param urlTtl how long signed URLs live
 * @param timeout how long storing or deleting may take, repetitions included
 */
public record S3Bucket(
    EndpointIdentity endpoint,
    String pathPrefix,
    AwsCredentials keys,
    Duration urlTtl,
    Duration timeout) {
  /** The bucket of a service, in the host name or in the path. */
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

  /** Where the bucket's name stands. */
  public enum Addressing {
    HOST,
    PATH
  }

  /** The path of an object; names need no encoding. */
  String path(BlobName name) {
    return pathPrefix + "/" + name;
  }

  @Override
  public String toString() {
    return endpoint + pathPrefix;
  }
}
