// Whole numbers of 128 bits against bits one by one, and against Python's whole numbers; and what
// the machine offers against what every compiler can do.

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/wide.hpp"
#include "tests/check.hpp"

using namespace orderless;
using namespace orderless::tests;

namespace {

using Bits = std::array<bool, 256>;

Bits bits_of(const Wide& x) {
  Bits bits{};
  for (std::size_t i = 0; i < 64; ++i) {
    bits[i] = (x.low() >> i & 1U) != 0;
    bits[64 + i] = (x.high() >> i & 1U) != 0;
  }
  return bits;
}

/// The lowest 128 of the bits.
Wide wide_of(const Bits& bits) {
  std::uint64_t low = 0, high = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    if (bits[i]) low |= std::uint64_t{1} << i;
    if (bits[64 + i]) high |= std::uint64_t{1} << i;
  }
  return {high, low};
}

bool passes(const Bits& bits) {
  for (std::size_t i = 128; i < bits.size(); ++i) {
    if (bits[i]) return true;
  }
  return false;
}

/// a + b x 2^shift, as on paper; what passes the last bit is dropped.
Bits sum(Bits a, const Bits& b, std::size_t shift = 0) {
  bool carry = false;
  for (std::size_t i = shift; i < a.size(); ++i) {
    const int n = int{a[i]} + int{b[i - shift]} + int{carry};
    a[i] = n % 2 != 0;
    carry = n > 1;
  }
  return a;
}

Bits product(const Bits& a, const Bits& b) {
  Bits out{};
  for (std::size_t i = 0; i < 128; ++i) {
    if (a[i]) out = sum(out, b, i);
  }
  return out;
}

/// Numbers of every width, and those next to powers of two.
std::vector<Wide> numbers(Random& random, int n) {
  std::vector<Wide> out{0, 1, 2, 3, Wide(~std::uint64_t{0}, ~std::uint64_t{0})};
  for (const unsigned i : {31U, 32U, 33U, 52U, 53U, 54U, 63U, 64U, 65U, 96U, 126U, 127U}) {
    const Wide power =
        i < 64 ? Wide(0, std::uint64_t{1} << i) : Wide(std::uint64_t{1} << (i - 64), 0);
    for (const Wide& each : {power - 1, power, power + 1}) out.push_back(each);
  }
  for (int i = 0; i < n; ++i) {
    const std::size_t width = random.below(128) + 1;
    std::uint64_t low = random.bits(), high = random.bits();
    if (width < 64) low >>= 64 - width;
    high = width <= 64 ? 0 : high >> (128 - width);
    out.emplace_back(high, low);
  }
  return out;
}

void test_against_bits() {
  Random random{1};
  const std::vector<Wide> all = numbers(random, 60);
  for (const Wide& a : all) {
    const Bits a_bits = bits_of(a);
    for (const Wide& b : all) {
      const Bits b_bits = bits_of(b);
      const Bits added = sum(a_bits, b_bits), times = product(a_bits, b_bits);
      Wide x = a;
      CHECK(x.add(b) == passes(added));
      CHECK(x == wide_of(added));
      if (!passes(added)) CHECK(a + b == x && x - b == a && x - a == b);
      Wide y = a;
      CHECK(y.multiply(b) == passes(times));
      if (!passes(times)) CHECK(y == wide_of(times) && a * b == y);
      // A number is below another iff it differs first, from above, where the other has a bit.
      bool below = false;
      for (std::size_t i = 128; i-- > 0;) {
        if (a_bits[i] == b_bits[i]) continue;
        below = b_bits[i];
        break;
      }
      CHECK((a < b) == below);
      CHECK((a >= b) == !below);
      CHECK((a == b) == (a_bits == b_bits));
      if (b == 0) continue;
      // quotient x divisor + rest, and the rest is below the divisor: no other numbers do that.
      const Wide quotient = a / b, rest = a % b;
      CHECK(rest < b);
      const Bits back = sum(product(bits_of(quotient), b_bits), bits_of(rest));
      CHECK(back == a_bits);
    }
  }
}

struct Case {
  Wide a, b, sum;
  bool sum_passes;
  Wide product;
  bool product_passes;
  Wide quotient, rest;
  double as_double;
};

/// From Python: a, b, (a + b) % 2**128, a + b >= 2**128, a * b likewise, a // b, a % b, float(a).
const Case from_python[] = {
    // clang-format off
    {{0x0U, 0x3e063f397eU}, {0x0U, 0x370a82833c9ee59U}, {0x0U, 0x370a8663a0927d7U}, false, {0xd55e372cU, 0xa4e6eb27315c20ceU}, false, {0x0U, 0x0U}, {0x0U, 0x3e063f397eU}, 0x1.f031f9cbf0000p+37},
    {{0x583e3aU, 0x376c73aa4cfd2dddU}, {0xbec507e43767e5U, 0x2c4e1b20f8fc64fU}, {0xbec507e48fa61fU, 0x3a31555c5c8cf42cU}, false, {0x9b0569eeaf978328U, 0x771e60e0250d1533U}, true, {0x0U, 0x0U}, {0x583e3aU, 0x376c73aa4cfd2dddU}, 0x1.60f8e8ddb1cebp+86},
    {{0x3da4f41U, 0x48d2e1dc4b16016eU}, {0x0U, 0x75fa9b93U}, {0x3da4f41U, 0x48d2e1dcc1109d01U}, false, {0x1c68bc1a06188beU, 0xbf4a751a1bec6c2aU}, false, {0x0U, 0x85c2c1dbea93d69U}, {0x0U, 0x622f2b23U}, 0x1.ed27a0a46970fp+89},
    {{0x2620e92b44U, 0x2c264cc97890ea5dU}, {0x0U, 0x19c11be22U}, {0x2620e92b44U, 0x2c264ccb14a2a87fU}, false, {0x5f9bc29b03a8e9f1U, 0xa17df50acd5d265aU}, true, {0x17U, 0xb003097f52ca96f9U}, {0x0U, 0x15b130f4bU}, 0x1.3107495a21613p+101},
    {{0x0U, 0x4f7953331abU}, {0x0U, 0x634588d1429eU}, {0x0U, 0x683d1e047449U}, false, {0x1ed1815U, 0x99b06a8aad01bd8aU}, false, {0x0U, 0x0U}, {0x0U, 0x4f7953331abU}, 0x1.3de54ccc6ac00p+42},
    {{0x0U, 0x112043026U}, {0x0U, 0x1665bU}, {0x0U, 0x112059681U}, false, {0x0U, 0x17f9342d24182U}, false, {0x0U, 0xc3c0U}, {0x0U, 0x1ae6U}, 0x1.1204302600000p+32},
    {{0x0U, 0x10ffb2f9U}, {0x0U, 0x3dafae521f3U}, {0x0U, 0x3db0be4d4ecU}, false, {0x41U, 0x89803ecd5b85fb5bU}, false, {0x0U, 0x0U}, {0x0U, 0x10ffb2f9U}, 0x1.0ffb2f9000000p+28},
    {{0x8daU, 0xc2e49657b74c4d80U}, {0x0U, 0x2a04d7c6f5aU}, {0x8daU, 0xc2e498f804c8bcdaU}, false, {0x1740edb279c59bU, 0xfe770f95906dbf00U}, false, {0x0U, 0x35f23abedU}, {0x0U, 0xca3d6a192eU}, 0x1.1b585c92caf6fp+75},
    {{0x0U, 0x12a63U}, {0x0U, 0x512599c0ce9U}, {0x0U, 0x512599d374cU}, false, {0x0U, 0x5e952684e60381bU}, false, {0x0U, 0x0U}, {0x0U, 0x12a63U}, 0x1.2a63000000000p+16},
    {{0xf92c6aU, 0x409de27924488152U}, {0x32ab42bffU, 0xba8f9fd01d17fbb6U}, {0x32bad5869U, 0xfb2d824941607d08U}, false, {0xfbbd107fd0223ad6U, 0x2353427ccab5564cU}, true, {0x0U, 0x0U}, {0xf92c6aU, 0x409de27924488152U}, 0x1.f258d4813bc4fp+87},
    {{0x2bd0U, 0x34751f4c7cecc905U}, {0x0U, 0xdU}, {0x2bd0U, 0x34751f4c7cecc912U}, false, {0x23992U, 0xa9f296e258063541U}, false, {0x35eU, 0xc8f5512d44afc0b1U}, {0x0U, 0x8U}, 0x1.5e81a3a8fa63ep+77},
    {{0x3c1cc83c0U, 0x3020ec225ebcf12bU}, {0x363b9f1U, 0xaa8cf7f7aaa9a45eU}, {0x3c5303db1U, 0xdaade41a09669589U}, false, {0x4fbae16d6f6b8478U, 0x9f77e9ae974319caU}, true, {0x0U, 0x11bU}, {0x28df598U, 0xa64acd58b5343d41U}, 0x1.e0e641e018107p+97},
    {{0xd46353bf52edfU, 0xc3d7bcbdb798b9U}, {0x19eU, 0xb3daca52423af258U}, {0xd46353bf5307dU, 0xb49ea20efff28b11U}, false, {0xf21eb47ec48f86d5U, 0xfac9ca7311656198U}, true, {0x0U, 0x831bf593e6cU}, {0x87U, 0xe8986cd89d900b99U}, 0x1.a8c6a77ea5dbep+115},
    {{0x0U, 0x36e390199c4eU}, {0x0U, 0x12b5d13685d1U}, {0x0U, 0x49996150221fU}, false, {0x402fbe2U, 0x286f56ce999121aeU}, false, {0x0U, 0x2U}, {0x0U, 0x1177edac90acU}, 0x1.b71c80cce2700p+45},
    {{0x0U, 0x82085463U}, {0x1U, 0xe3e7f99ac9e1092cU}, {0x1U, 0xe3e7f99b4be95d8fU}, false, {0xf5cb8b83U, 0xa7f6e6ca8a68fc04U}, false, {0x0U, 0x0U}, {0x0U, 0x82085463U}, 0x1.0410a8c600000p+31},
    {{0x636U, 0x54e4f5101795e074U}, {0x0U, 0xc1dU}, {0x636U, 0x54e4f5101795ec91U}, false, {0x4b4022U, 0x596c83edb27fdd24U}, false, {0x0U, 0x8349cb68d94a2e8cU}, {0x0U, 0xa98U}, 0x1.8d95393d4405ep+74},
    {{0x12343U, 0x5aedc46c7d2a989aU}, {0x0U, 0x1b9fU}, {0x12343U, 0x5aedc46c7d2ab439U}, false, {0x1f6d016cU, 0x8d6470953b8d05a6U}, false, {0xaU, 0x8b81f8760a845519U}, {0x0U, 0x1b13U}, 0x1.23435aedc46c8p+80},
    {{0xe9d295ec792U, 0xe4ea53025fe3a39eU}, {0x0U, 0xd9fea57eb970aaU}, {0xe9d295ec792U, 0xe5c451a7de9d1448U}, false, {0xcffc6d9ddc7ab185U, 0xad2b86645edc6ecU}, true, {0x0U, 0x112965b1c9864aU}, {0x0U, 0x8eb345add6167aU}, 0x1.d3a52bd8f25cap+107},
    {{0xc251e048fd965f4U, 0x785597dd1633eae2U}, {0x0U, 0x7cce78817U}, {0xc251e048fd965f4U, 0x785597e4e31b72f9U}, false, {0x76f8f2ed8485fa30U, 0x19f9ecdb9d602a4eU}, true, {0x18e957cU, 0xa34a70f91d38e960U}, {0x0U, 0x2247bf342U}, 0x1.84a3c091fb2ccp+123},
    {{0x0U, 0xa23b3U}, {0x1c6fa8c706da0d6U, 0xd9adf63e52e03527U}, {0x1c6fa8c706da0d6U, 0xd9adf63e52ea58daU}, false, {0x3bdec7d9e20956c8U, 0x9bbcefaaad8f7f45U}, true, {0x0U, 0x0U}, {0x0U, 0xa23b3U}, 0x1.4476600000000p+19},
    {{0x5ecc3d846754cU, 0x4748674a8ac98eb4U}, {0x0U, 0x78U}, {0x5ecc3d846754cU, 0x4748674a8ac98f2cU}, false, {0x2c6fbcd6106fbc1U, 0x69f06af10e7ae460U}, false, {0xca3c3ef853eU, 0x809811ed6bd2bf0eU}, {0x0U, 0x24U}, 0x1.7b30f6119d531p+114},
    {{0x597beU, 0x6454a155d6611374U}, {0x0U, 0x6a767f85500a7U}, {0x597beU, 0x645b48bdceb6141bU}, false, {0x36b907e5325e3841U, 0x35daf7beaed7b0acU}, true, {0x0U, 0xd72c3207U}, {0x0U, 0x5acd5143970e3U}, 0x1.65ef991528557p+82},
    {{0x0U, 0x4856635U}, {0x0U, 0x1U}, {0x0U, 0x4856636U}, false, {0x0U, 0x4856635U}, false, {0x0U, 0x4856635U}, {0x0U, 0x0U}, 0x1.21598d4000000p+26},
    {{0x0U, 0x1b4f946f29U}, {0x6ce0c1db1002f2U, 0x551bc955d3cfaa88U}, {0x6ce0c1db1002f2U, 0x551bc971236419b1U}, false, {0x2440f2c17d228ef5U, 0xe6a1fb9c85d347c8U}, true, {0x0U, 0x0U}, {0x0U, 0x1b4f946f29U}, 0x1.b4f946f290000p+36},
    {{0x0U, 0x1aU}, {0xde770a78U, 0xa190e7213edf2e11U}, {0xde770a78U, 0xa190e7213edf2e2bU}, false, {0x1698171040U, 0x68b7796062aaadbaU}, false, {0x0U, 0x0U}, {0x0U, 0x1aU}, 0x1.a000000000000p+4},
    {{0xb529ef62U, 0xab111b03d703b351U}, {0x6cb58c72U, 0x7c442b8f9dcda5f0U}, {0x121df7bd5U, 0x2755469374d15941U}, false, {0x4f30fadc44c54931U, 0xfb17055d3ae850f0U}, true, {0x0U, 0x1U}, {0x487462f0U, 0x2eccef7439360d61U}, 0x1.6a53dec556223p+95},
    {{0x0U, 0x47e22a23de68dU}, {0x0U, 0x1cbf4aU}, {0x0U, 0x47e22a25aa5d7U}, false, {0x81U, 0x27320bd44c53d7c2U}, false, {0x0U, 0x280231a9U}, {0x0U, 0x1274b3U}, 0x1.1f88a88f79a34p+50},
    {{0x0U, 0x510U}, {0x0U, 0x15cd40a31758U}, {0x0U, 0x15cd40a31c68U}, false, {0x0U, 0x6e5f1739a62d80U}, false, {0x0U, 0x0U}, {0x0U, 0x510U}, 0x1.4400000000000p+10},
    {{0x3U, 0x80c39f7c9251650cU}, {0x2db7bU, 0x7d24a139a157200U}, {0x2db7eU, 0x8895e9902c66d70cU}, false, {0x91cc53fb2b34b72aU, 0xbd5a6882c0fb5800U}, true, {0x0U, 0x0U}, {0x3U, 0x80c39f7c9251650cU}, 0x1.c061cfbe4928bp+65},
    {{0x1U, 0xb056426b9b8b1955U}, {0x3f0b1325b34U, 0x810a551c1955c5f8U}, {0x3f0b1325b36U, 0x31609787b4e0df4dU}, false, {0x2851f517abb7cd56U, 0xc98a5fe56f77f358U}, true, {0x0U, 0x0U}, {0x1U, 0xb056426b9b8b1955U}, 0x1.b056426b9b8b2p+64},
    {{0x0U, 0x12b98eU}, {0x0U, 0x3e9e5edf04aU}, {0x0U, 0x3e9e600a9d8U}, false, {0x0U, 0x49485da161d4c30cU}, false, {0x0U, 0x0U}, {0x0U, 0x12b98eU}, 0x1.2b98e00000000p+20},
    {{0x3ef8U, 0x86324d7fce6b6ec9U}, {0x0U, 0xa633426d04U}, {0x3ef8U, 0x86324e2601addbcdU}, false, {0x28e1c2de3dac4dU, 0xce8515fd92ab5024U}, false, {0x0U, 0x60fe9dc547U}, {0x0U, 0x8ea5a71eadU}, 0x1.f7c431926bfe7p+77},
    {{0x2U, 0xd91b115f9960828U}, {0x3d7c903cU, 0x1e6858fcf68c4c47U}, {0x3d7c903eU, 0x2bfa0a12f022546fU}, false, {0x634cceca4dc14b26U, 0x3c931473a8e82318U}, true, {0x0U, 0x0U}, {0x2U, 0xd91b115f9960828U}, 0x1.06c8d88afccb0p+65},
    {{0x0U, 0x1089e679c503U}, {0xa6U, 0x87c6b25045114a6cU}, {0xa6U, 0x87c6c2da2b8b0f6fU}, false, {0xac23101ad4ad3U, 0xef719dec5284fb44U}, false, {0x0U, 0x0U}, {0x0U, 0x1089e679c503U}, 0x1.089e679c50300p+44},
    {{0x0U, 0x653900ae7c9c26U}, {0x0U, 0x1e1882164d08e4U}, {0x0U, 0x835182c4c9a50aU}, false, {0xbe65edc46aaU, 0x4e80d641874a41d8U}, false, {0x0U, 0x3U}, {0x0U, 0xaef7a6b95817aU}, 0x1.94e402b9f270ap+54},
    {{0x8f9899417U, 0xb505f290eb98049U}, {0x0U, 0x369de93U}, {0x8f9899417U, 0xb505f2912235edcU}, false, {0x1ea2c3b69b019a1fU, 0xb4af75eecab4f7ebU}, false, {0x2a1U, 0x103e9cb6d31652d6U}, {0x0U, 0x14c5b67U}, 0x1.1f313282e16a1p+99},
    {{0x0U, 0x1e6648fdb803354U}, {0x1117ed9d713U, 0x31cee52b3b4185c1U}, {0x1117ed9d713U, 0x33b549bb16c1b915U}, false, {0xc29dcfe0aeb1af66U, 0xbf1897fb7aa55654U}, true, {0x0U, 0x0U}, {0x0U, 0x1e6648fdb803354U}, 0x1.e6648fdb80335p+56},
    {{0xad7U, 0x433b730bf556702cU}, {0x1047U, 0x4230461c5d8edd3cU}, {0x1b1eU, 0x856bb92852e54d68U}, false, {0xe757a658f5a242fcU, 0x1563131b53804650U}, true, {0x0U, 0x0U}, {0xad7U, 0x433b730bf556702cU}, 0x1.5ae8676e617ebp+75},
    {{0x144d40U, 0x7491f0998842b6b3U}, {0x7897695e9424379U, 0x4f421b16c5de67b8U}, {0x7897695e95690b9U, 0xc3d40bb04e211e6bU}, false, {0xbdedd0b08551a3afU, 0x61d8c900f5af55a8U}, true, {0x0U, 0x0U}, {0x144d40U, 0x7491f0998842b6b3U}, 0x1.44d407491f09ap+84},
    {{0x11d83U, 0xe9ce37de7ab381b6U}, {0x52aU, 0x730a43a8aab8b433U}, {0x122aeU, 0x5cd87b87256c35e9U}, false, {0x1790eb36c3cbc73fU, 0xcc9cb630bfc6cf42U}, true, {0x0U, 0x37U}, {0x165U, 0x3299aea1cd04cac1U}, 0x1.1d83e9ce37de8p+80},
    {{0xffffffffffffffffU, 0xffffffffffffffffU}, {0x0U, 0xffffffffffffffffU}, {0x0U, 0xfffffffffffffffeU}, true, {0xffffffffffffffffU, 0x1U}, true, {0x1U, 0x1U}, {0x0U, 0x0U}, 0x1.0000000000000p+128},
    {{0xffffffffffffffffU, 0xffffffffffffffffU}, {0x8000000000000000U, 0x0U}, {0x7fffffffffffffffU, 0xffffffffffffffffU}, true, {0x8000000000000000U, 0x0U}, true, {0x0U, 0x1U}, {0x7fffffffffffffffU, 0xffffffffffffffffU}, 0x1.0000000000000p+128},
    {{0xffffffffffffffffU, 0xffffffffffffffffU}, {0x0U, 0x1U}, {0x0U, 0x0U}, true, {0xffffffffffffffffU, 0xffffffffffffffffU}, false, {0xffffffffffffffffU, 0xffffffffffffffffU}, {0x0U, 0x0U}, 0x1.0000000000000p+128},
    {{0xfffffffffffffffeU, 0x1U}, {0x0U, 0xffffffffffffffffU}, {0xffffffffffffffffU, 0x0U}, false, {0x2U, 0xffffffffffffffffU}, true, {0x0U, 0xffffffffffffffffU}, {0x0U, 0x0U}, 0x1.0000000000000p+128},
    {{0x1U, 0x0U}, {0x1U, 0x0U}, {0x2U, 0x0U}, false, {0x0U, 0x0U}, true, {0x0U, 0x1U}, {0x0U, 0x0U}, 0x1.0000000000000p+64},
    {{0x1U, 0x0U}, {0x0U, 0xffffffffffffffffU}, {0x1U, 0xffffffffffffffffU}, false, {0xffffffffffffffffU, 0x0U}, false, {0x0U, 0x1U}, {0x0U, 0x1U}, 0x1.0000000000000p+64},
    {{0x4b3b4ca85a86c47aU, 0x98a224000000000U}, {0x0U, 0x8ac7230489e80000U}, {0x4b3b4ca85a86c47aU, 0x9451454489e80000U}, false, {0xebfdcb54864ada83U, 0x4a00000000000000U}, true, {0x0U, 0x8ac7230489e80000U}, {0x0U, 0x0U}, 0x1.2ced32a16a1b1p+126},
    {{0x8000000000000000U, 0x0U}, {0x0U, 0x2U}, {0x8000000000000000U, 0x2U}, false, {0x0U, 0x0U}, true, {0x4000000000000000U, 0x0U}, {0x0U, 0x0U}, 0x1.0000000000000p+127},
    {{0x8000000000000000U, 0x0U}, {0x0U, 0x3U}, {0x8000000000000000U, 0x3U}, false, {0x8000000000000000U, 0x0U}, true, {0x2aaaaaaaaaaaaaaaU, 0xaaaaaaaaaaaaaaaaU}, {0x0U, 0x2U}, 0x1.0000000000000p+127},
    // clang-format on
};

void test_against_python() {
  for (const Case& each : from_python) {
    Wide sum = each.a, product = each.a;
    CHECK(sum.add(each.b) == each.sum_passes);
    CHECK(sum == each.sum);
    CHECK(product.multiply(each.b) == each.product_passes);
    if (!each.product_passes) CHECK(product == each.product);
    CHECK(each.a / each.b == each.quotient);
    CHECK(each.a % each.b == each.rest);
    CHECK(each.a.to_double() == each.as_double);
  }
}

/// The nearest double is the one whose distance is least; halfway, the even one.
void test_double() {
  Random random{2};
  for (const Wide& x : numbers(random, 2000)) {
    const double found = x.to_double();
    const Bits bits = bits_of(x);
    int width = 128;
    while (width > 0 && !bits[static_cast<std::size_t>(width) - 1]) --width;
    if (width <= 53) {
      CHECK(found == static_cast<double>(x.low()));
      continue;
    }
    std::uint64_t top = 0;
    for (int i = width; i-- > width - 53;)
      top = top << 1U | (bits[static_cast<std::size_t>(i)] ? 1U : 0U);
    const bool half = bits[static_cast<std::size_t>(width) - 54];
    bool more = false;
    for (int i = 0; i < width - 54; ++i) more = more || bits[static_cast<std::size_t>(i)];
    if (half && (more || top % 2 != 0)) ++top;
    CHECK(found == std::ldexp(static_cast<double>(top), width - 53));
  }
}

/// What the compiler makes of a product of words, and the product of halves.
void test_full_product() {
  Random random{3};
  std::vector<std::uint64_t> words{
      0, 1, 2, 0xffffffffU, 0x100000000U, 0x100000001U, ~std::uint64_t{0}};
  for (int i = 0; i < 120; ++i) words.push_back(random.bits() >> random.below(64));
  for (const std::uint64_t a : words) {
    for (const std::uint64_t b : words) {
      const Wide wanted = wide_of(product(bits_of(a), bits_of(b)));
      const FullProduct halves = full_product_by_halves(a, b), found = full_product(a, b);
      CHECK(Wide(halves.high, halves.low) == wanted);
      CHECK(Wide(found.high, found.low) == wanted);
    }
  }
}

/// Signed numbers against their distances from 0, which are numbers as above.
void test_signed() {
  Random random{4};
  std::vector<std::int64_t> words{0, 1, -1, 2, -2, INT64_MAX, INT64_MIN + 1, INT64_MIN};
  for (int i = 0; i < 60; ++i) {
    const auto word = static_cast<std::int64_t>(random.bits() >> (random.below(62) + 1));
    words.push_back(random.coin() ? word : -word);
  }
  const auto distance = [](std::int64_t x) {
    return x < 0 ? ~static_cast<std::uint64_t>(x) + 1 : static_cast<std::uint64_t>(x);
  };
  for (const std::int64_t a : words) {
    CHECK(SignedWide(a).is_negative() == (a < 0));
    CHECK(SignedWide(a).magnitude() == Wide(distance(a)));
    CHECK(SignedWide(a).to_double() == static_cast<double>(a));
    for (const std::int64_t b : words) {
      const SignedWide product = SignedWide(a) * b;
      CHECK(SignedWide::product(a, b) == product);
      CHECK(product.magnitude() == Wide(distance(a)) * Wide(distance(b)));
      CHECK(product.is_negative() == (a != 0 && b != 0 && (a < 0) != (b < 0)));
      CHECK(product.to_double() ==
            (product.is_negative() ? -1 : 1) * product.magnitude().to_double());
      // The sum's distance is the sum of both, or the difference, as on paper.
      const SignedWide sum = SignedWide(a) + b;
      const Wide x = distance(a), y = distance(b);
      CHECK(sum.magnitude() == ((a < 0) == (b < 0) ? x + y : x < y ? y - x : x - y));
      CHECK(sum - b == SignedWide(a));
      CHECK(-(-sum) == sum);
      CHECK(SignedWide(a) - b == -(SignedWide(b) - a));
      SignedWide twice = product;
      twice += product;
      CHECK(twice == product * 2);
    }
  }
}

void test_processor() {
  const Processor none;
  CHECK(std::string(none.widest()) == "portable");
#if defined(ORDERLESS_PORTABLE)
  CHECK(std::string(processor().widest()) == "portable");
  CHECK(!processor().bmi && !processor().bmi2);
#endif
  CHECK(!processor().avx512 || processor().avx2);
}

}  // namespace

int main() {
  test_against_bits();
  test_against_python();
  test_double();
  test_full_product();
  test_signed();
  test_processor();
}
